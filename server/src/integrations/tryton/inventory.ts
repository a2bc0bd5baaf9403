import type { SourceRecord } from '../../resources/define.ts'
import type { inventory } from '../../resources/wms/inventory.ts'
import { type Measured, measurementFields, toMeasurements } from './measurements.ts'
import { toStock } from './quantities.ts'
import { type Dated, stamp } from './stamps.ts'

export interface StockedProduct extends Dated, Partial<Measured> {
  id: number
  code: string | null
  name: string
  active: boolean | number
  cost_price: number | null
  'default_uom.': { symbol: string }
  'template.': Dated
}

export const stockedProductFields = [
  'code',
  'name',
  'active',
  'cost_price',
  'default_uom.symbol',
  ...measurementFields,
  'template.create_date',
  'template.write_date',
  'create_date',
  'write_date',
]

/** What Tryton says of one product, in the product's own unit. */
export interface Stock {
  product: StockedProduct
  levels: StockLevel[]
  /** Each in one warehouse. */
  lots: { number: string; warehouse: number; quantity: number }[]
  locations: { location: number; warehouse: number; quantity: number }[]
}

export interface StockLevel {
  warehouse: number
  /** In all its zones. */
  quantity: number
  /** The same after every assigned move has taken away what it reserves. */
  unreserved: number
  /** Of that, what lies in the storage zone. */
  assignable: number
  /** On its way here by a move that is not done. */
  incoming: number
}

/**
 * On hand is all that is in the building. Of it, committed is what moves have reserved: stock picked for shipments, and
 * what shipments in state `assigned` are going to pick. Fulfillable is what Tryton would assign to the next shipment,
 * which it takes from the storage zone only; the rest, received but not put away, is unfulfillable. Broken pieces are
 * unfulfillable too, so that the three always add up.
 */
export function toInventory({ product, levels, lots, locations }: Stock): SourceRecord<typeof inventory> {
  const active = Boolean(product.active)
  const counted = levels.map((level) => [String(level.warehouse), toLevel(level, active)] as const)
  const sum = (figure: keyof ReturnType<typeof toLevel>) =>
    counted.reduce((total, [, level]) => total + level[figure], 0)
  return {
    ...stamp(product, [product['template.']]),
    name: product.name,
    sku: product.code || null,
    unit_cost: product.cost_price,
    active,
    awaiting: sum('awaiting'),
    onhand: sum('onhand'),
    committed: sum('committed'),
    unfulfillable: sum('unfulfillable'),
    fulfillable: sum('fulfillable'),
    unsellable: sum('unsellable'),
    sellable: sum('sellable'),
    inventory_by_warehouse_id: Object.fromEntries(counted),
    lots: lots
      .map(({ number, warehouse, quantity }) => ({
        lot_id: number,
        onhand: toStock(quantity),
        warehouse_id: String(warehouse),
      }))
      .filter(({ onhand }) => onhand > 0),
    measurements: toMeasurements(product),
    locations: locations
      .map(({ location, warehouse, quantity }) => ({
        location_id: String(location),
        quantity: toStock(quantity),
        warehouse_id: String(warehouse),
      }))
      .filter(({ quantity }) => quantity !== 0),
    additional_fields: { unit_of_measure: product['default_uom.'].symbol },
  }
}

function toLevel(level: StockLevel, active: boolean) {
  const onhand = toStock(level.quantity)
  const committed = toStock(level.quantity - level.unreserved)
  const fulfillable = toStock(level.assignable)
  const unfulfillable = onhand - committed - fulfillable
  return {
    awaiting: toStock(level.incoming),
    onhand,
    committed,
    unfulfillable,
    fulfillable,
    unsellable: unfulfillable,
    sellable: active ? fulfillable : 0,
  }
}
