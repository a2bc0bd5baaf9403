import type { SourceRecord } from '../../resources/define.ts'
import type { inventory } from '../../resources/wms/inventory.ts'
import type { inventoryLedger } from '../../resources/wms/inventory-ledger.ts'
import type { Movement, Stock } from './documents.ts'
import { stamp, toMeasurements, toMoney } from './values.ts'

export function toInventory(stock: Stock): SourceRecord<typeof inventory> {
  const active = stock.state === 'LIVE'
  const levels = stock.levels.map((level) => {
    const fulfillable = level.on_hand - level.allocated - level.quarantined
    const quantities = {
      awaiting: level.expected,
      onhand: level.on_hand,
      committed: level.allocated,
      unfulfillable: level.quarantined,
      fulfillable,
      unsellable: level.quarantined,
      sellable: active ? fulfillable : 0,
    }
    return [level.facility, quantities] as const
  })
  const sum = (quantity: keyof (typeof levels)[number][1]) =>
    levels.reduce((total, [, quantities]) => total + quantities[quantity], 0)

  return {
    ...stamp(stock),
    warehouse_customer_id: stock.client,
    name: stock.title,
    sku: stock.sku,
    unit_cost: toMoney(stock.cost_cents),
    active,
    awaiting: sum('awaiting'),
    onhand: sum('onhand'),
    committed: sum('committed'),
    unfulfillable: sum('unfulfillable'),
    fulfillable: sum('fulfillable'),
    unsellable: sum('unsellable'),
    sellable: sum('sellable'),
    substitute_skus: stock.replaced_by,
    inventory_by_warehouse_id: Object.fromEntries(levels),
    lots: stock.lots.map(({ lot, facility, qty, best_before }) => ({
      lot_id: lot,
      onhand: qty,
      expiration_date: best_before,
      warehouse_id: facility,
    })),
    measurements: toMeasurements(stock.box),
    locations: stock.positions.map(({ facility, slot, qty }) => ({
      location_id: slot,
      quantity: qty,
      warehouse_id: facility,
    })),
  }
}

type LedgerEntry = SourceRecord<typeof inventoryLedger>

export function toLedgerEntry(movement: Movement): LedgerEntry {
  return {
    ...stamp(movement),
    warehouse_customer_id: movement.client,
    entry_date: movement.created,
    inventory_item_id: movement.stock,
    sku: movement.sku,
    quantity: movement.qty,
    raw_event_type: movement.code,
    event_type: eventTypes[movement.code] ?? 'other',
    reason: movement.note,
    object_id: movement.cause?.id ?? null,
    object_type: movement.cause ? causes[movement.cause.kind] : null,
    warehouse_id: movement.facility,
    location_id: movement.slot,
  }
}

const eventTypes: Record<string, LedgerEntry['event_type']> = {
  COUNT: 'adjustment',
  SCRAP: 'adjustment',
  RMA_IN: 'return_receipt',
  GOODS_IN: 'inbound_receipt',
  SHIP_OUT: 'order_shipment',
  VENDOR_BACK: 'supplier_return',
  SLOT_MOVE: 'movement',
}

const causes = { orders: 'order', asns: 'inbound_shipment', rmas: 'return' } as const
