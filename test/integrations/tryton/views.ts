import assert from 'node:assert/strict'
import type { Json, UnifiedRecord } from './connected.ts'

/** Compares record by record, in whatever order they and their lists come. */
export async function same(
  told: UnifiedRecord[],
  expected: { id: string }[],
  view: (record: UnifiedRecord) => { id: string },
) {
  assert.equal(told.length, expected.length)
  const views = new Map(told.map((record) => [record.id, unordered(view(record))]))
  for (const record of expected) assert.deepEqual(views.get(record.id), unordered(record))
}

function unordered(value: unknown): unknown {
  if (Array.isArray(value)) return sorted(value.map(unordered))
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, unordered(inner)]))
}

export function sorted<Value>(values: readonly Value[]): Value[] {
  const keyed = values.map((value) => [JSON.stringify(canonical(value)), value] as const)
  return keyed.sort(([a], [b]) => (a < b ? -1 : Number(a > b))).map(([, value]) => value)
}

function canonical(value: unknown): unknown {
  if (value === null || typeof value !== 'object') return value
  return Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
}

export const asArrival = ({ inventory_item_id, expected_quantity, received_quantity }: Json) => ({
  inventory_item_id,
  expected_quantity,
  received_quantity,
})

export function total(lines: Record<string, number>[]) {
  const sum = (name: string) => lines.reduce((count, line) => count + (line[name] ?? 0), 0)
  return { quantity: sum('quantity'), received_quantity: sum('received_quantity') }
}

export const figures = ['onhand', 'committed', 'fulfillable', 'awaiting', 'unfulfillable'] as const
const pick = (record: Json, names: readonly string[]) => Object.fromEntries(names.map((name) => [name, record[name]]))

export function asStock(stock: UnifiedRecord) {
  return {
    id: stock.id,
    ...pick(stock, ['sku', 'name', 'active', 'unit_cost', ...figures, 'locations']),
    inventory_by_warehouse_id: Object.fromEntries(
      Object.entries(stock.inventory_by_warehouse_id).map(([id, level]) => [id, pick(level, figures)]),
    ),
    lots: stock.lots.map((lot: Json) => pick(lot, ['lot_id', 'onhand', 'warehouse_id'])),
  }
}

export function asOrder(order: UnifiedRecord) {
  return {
    id: order.id,
    ...pick(order, [
      'order_number',
      'reference_id',
      'status',
      'raw_status',
      'trading_partner',
      'warehouse_id',
      'shipping_method_id',
      'required_ship_date',
    ]),
    line_items: order.line_items.map((line: Json) => pick(line, ['product_id', 'sku', 'quantity', 'unit_price'])),
    shipments: order.shipments.map((shipment: Json) => ({
      shipped_date: shipment.shipped_date,
      pieces: total(shipment.line_items).quantity,
      tracking_numbers: shipment.packages.map((box: Json) => box.tracking_number),
    })),
  }
}

export const asProduct = (product: UnifiedRecord) => ({
  id: product.id,
  ...pick(product, ['sku', 'name', 'active', 'unit_price', 'gtin', 'inventory_items']),
})
