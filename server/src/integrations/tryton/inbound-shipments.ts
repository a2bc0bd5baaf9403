import type { SourceRecord } from '../../resources/define.ts'
import type { inboundShipments } from '../../resources/wms/inbound-shipments.ts'
import { type Address, addressFields, toAddress } from './addresses.ts'
import type { Source } from './changes.ts'
import { linesOf, type Move, moveFields, perProduct, unitPrice } from './moves.ts'
import { toPieces } from './quantities.ts'
import { type Dated, stamp } from './stamps.ts'

/** What suppliers deliver: `stock.shipment.in`, whose lines are its incoming moves. */
export const supplierShipments: Source = {
  model: 'stock.shipment.in',
  fields: [
    'reference',
    'origins',
    'state',
    'supplier',
    'supplier.name',
    'warehouse',
    'planned_date',
    'effective_date',
    ...addressFields('contact_address'),
    ...moveFields('incoming_moves'),
    'incoming_moves.effective_date',
    'create_date',
    'write_date',
  ],
  parts: ['moves'],
}

export interface SupplierShipment extends Dated {
  id: number
  reference: string | null
  /** The purchases it comes from, by number; empty where it was announced without one. */
  origins?: string | null
  state: string
  supplier: number
  'supplier.': { name: string }
  warehouse: number
  planned_date: string | null
  effective_date: string | null
  'contact_address.': Address | null
  'incoming_moves.': (Move & { effective_date: string | null })[]
}

type InboundShipment = SourceRecord<typeof inboundShipments>

export function toInboundShipment(shipment: SupplierShipment): InboundShipment {
  const { state } = shipment
  const lines = linesOf(state, shipment['incoming_moves.'])
  const received = lines.filter((line) => line.state === 'done')
  // later versions date the lines alone
  const arrived = shipment.effective_date ?? received.find((line) => line.effective_date)?.effective_date
  return {
    ...stamp(shipment, shipment['incoming_moves.']),
    purchase_order_number: shipment.origins || shipment.reference || null,
    status: receivingStatuses[state] ?? 'other',
    raw_status: state,
    supplier: shipment['supplier.'].name,
    supplier_object: { supplier_id: String(shipment.supplier), supplier_name: shipment['supplier.'].name },
    expected_arrival_date: shipment.planned_date,
    warehouse_id: String(shipment.warehouse),
    line_items: lines.map((line) => ({
      inventory_item_id: String(line.product),
      sku: line['product.'].code || null,
      expected_quantity: toPieces(line.internal_quantity),
      received_quantity: line.state === 'done' ? toPieces(line.internal_quantity) : 0,
      unit_cost: unitPrice(line),
    })),
    receipts:
      arrived && received.length > 0
        ? [
            {
              id: `in-${String(shipment.id).padStart(6, '0')}`,
              arrived_date: arrived,
              line_items: perProduct(received),
            },
          ]
        : [],
    ship_from_address: toAddress(shipment['contact_address.']),
    additional_fields: { reference: shipment.reference || null },
  }
}

/** `received`: unloaded into the input zone; `done`: put away. The same for what customers send back. */
export const receivingStatuses: Record<string, 'open' | 'receiving' | 'received' | 'cancelled'> = {
  draft: 'open',
  received: 'receiving',
  done: 'received',
  cancelled: 'cancelled',
}

export interface SupplierOfShipment {
  id: number
  supplier: number
  'supplier.': Dated & { name: string }
}

/** Tryton does not mark suppliers as such: one is who delivers. */
export const shipmentSuppliers: Source = {
  model: 'stock.shipment.in',
  fields: ['supplier', 'supplier.name', 'supplier.create_date', 'supplier.write_date'],
  parts: ['supplier'],
  pageSize: 1000,
}

export const toSupplier = ({ supplier, 'supplier.': party }: SupplierOfShipment) => ({
  ...stamp({ ...party, id: supplier }),
  name: party.name,
})
