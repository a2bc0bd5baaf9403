import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Ajv } from 'ajv'
import formats from 'ajv-formats'
import { completer, RecordFault } from './complete.ts'
import type { SourceRecord } from './define.ts'
import { inventory } from './wms/inventory.ts'
import { orders } from './wms/orders.ts'
import { products } from './wms/products.ts'

const completeOrder = completer(orders)
const completeInventory = completer(inventory)

const order: SourceRecord<typeof orders> = {
  id: 'o1',
  created_date: '2026-11-20T08:15:30+01:00',
  updated_date: '2026-11-20T08:15:30Z',
  reference_id: 'r1',
  order_number: '1001',
  status: 'fulfilled',
  invoice_currency_code: 'USD',
  line_items: [
    { product_id: 'p1', quantity: 2, is_picked: true },
    { product_id: 'p2', quantity: 1, is_picked: false, sku: 'B', unit_price: 9.5 },
  ],
  shipments: [
    {
      shipment_id: 's1',
      warehouse_id: 'w1',
      status: 'shipped',
      packages: [{ package_id: 'k1', measurements: { weight: 2, weight_unit: 'kg' } }],
    },
  ],
}

const stock: SourceRecord<typeof inventory> = {
  id: 'i1',
  created_date: '2026-11-20T08:15:30Z',
  updated_date: '2026-11-20T08:15:30Z',
  name: 'Mug',
  active: true,
  awaiting: 0,
  onhand: 7,
  committed: 2,
  unfulfillable: 0,
  fulfillable: 5,
  unsellable: 0,
  sellable: 5,
}

function fault(act: () => unknown): RecordFault {
  try {
    act()
  } catch (error) {
    assert.ok(error instanceof RecordFault, String(error))
    return error
  }
  return assert.fail('nothing was thrown')
}

// `unknown` values stand for what a map function gives in spite of its types
const orderWith = (changes: Record<string, unknown>) =>
  ({ ...order, ...changes }) as unknown as SourceRecord<typeof orders>

test('what was left out becomes null, an empty list, an object of nulls or an empty map', () => {
  const record = completeOrder(order)
  assert.equal(record.carrier_id, null)
  assert.equal(record.channel_object, null)
  assert.deepEqual(record.tags, [])
  assert.deepEqual(Object.values(record.ship_to_address), new Array(11).fill(null))
  assert.deepEqual(record.additional_fields, {})
  assert.equal(record.line_items[0]?.sku, null)
  assert.equal(record.shipments[0]?.packages[0]?.measurements.length, null)
  assert.equal(record.shipments[0]?.packages[0]?.measurements.weight, 2)
  assert.deepEqual(completeInventory(stock).inventory_by_warehouse_id, {})
})

test('a completed record keeps to its declared schema', () => {
  const ajv = new Ajv({ strict: false, allErrors: true })
  formats.default(ajv)
  for (const [resource, record] of [
    [orders, completeOrder(order)],
    [inventory, completeInventory({ ...stock, inventory_by_warehouse_id: { w1: { onhand: 7 } } })],
  ] as const) {
    assert.ok(ajv.validate(resource.fields, record), ajv.errorsText())
  }
})

test('completing a completed record changes nothing', () => {
  const record = completeOrder(order)
  assert.deepEqual(completeOrder(record), record)
})

test('two records never share an object', () => {
  const [one, other] = [completeOrder(order), completeOrder(order)]
  one.ship_to_address.city = 'Reykjavik'
  one.additional_fields.note = 'changed'
  one.tags.push('changed')
  assert.deepEqual(other, completeOrder(order))
})

test('timestamps of every depth are kept in UTC, given as text or as Date', () => {
  const record = completeOrder(
    orderWith({
      required_ship_date: new Date('2026-11-21T00:00:00Z'),
      shipments: [{ ...order.shipments?.[0], shipped_date: '2026-11-20T20:00:00.5-05:00' }],
    }),
  )
  assert.equal(record.created_date, '2026-11-20T07:15:30.000Z')
  assert.equal(record.required_ship_date, '2026-11-21T00:00:00.000Z')
  assert.equal(record.shipments[0]?.shipped_date, '2026-11-21T01:00:00.500Z')
})

test('undeclared fields are dropped, those of free-form values and maps are kept', () => {
  const record = completeOrder(orderWith({ surprise: 1, additional_fields: { gift: { wrap: [true] } } }))
  assert.equal('surprise' in record, false)
  assert.deepEqual(record.additional_fields, { gift: { wrap: [true] } })
  const item = completeInventory({ ...stock, inventory_by_warehouse_id: { w1: { onhand: 7, committed: 2 } } })
  assert.deepEqual(item.inventory_by_warehouse_id.w1, {
    awaiting: null,
    onhand: 7,
    committed: 2,
    unfulfillable: null,
    fulfillable: null,
    unsellable: null,
    sellable: null,
  })
})

test('equal records have equal JSON in whatever order their keys came', () => {
  const backwards = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(backwards)
    if (typeof value !== 'object' || value === null) return value
    const pairs = Object.entries(value).reverse()
    return Object.fromEntries(pairs.map(([key, inner]) => [key, backwards(inner)]))
  }
  const full = { ...order, additional_fields: { b: 1, a: { d: undefined, c: null, b: [1] } } }
  const reversed = backwards(full) as typeof order
  assert.equal(JSON.stringify(completeOrder(reversed)), JSON.stringify(completeOrder(full)))
  assert.deepEqual(Object.keys(completeOrder(full)), Object.keys(orders.fields.properties))
})

test('a key named __proto__ is data like any other', () => {
  const given = JSON.parse('{"__proto__": {"a": 1}}')
  assert.equal(
    JSON.stringify(completeOrder(orderWith({ additional_fields: given })).additional_fields),
    JSON.stringify(given),
  )
})

const faults: [changes: Record<string, unknown>, message: string][] = [
  [{ order_number: undefined }, 'order_number is missing'],
  [{ order_number: 7 }, 'order_number must be a string, not 7'],
  [
    { status: 'lost' },
    'status must be one of open, confirmed, processing, picked, packed, partially_fulfilled, fulfilled, exception, cancelled, backordered, other, not lost',
  ],
  [{ type: 'b2c' }, 'type must be one of d2c, b2b, dropship, transfer, not b2c'],
  [{ created_date: 'yesterday' }, 'created_date must be an ISO 8601 timestamp with an offset, not a string'],
  [{ total_price: '9.50' }, 'total_price must be a number, not a string'],
  [{ total_price: Number.NaN }, 'total_price must be a number, not NaN'],
  [{ saturday_delivery: 1 }, 'saturday_delivery must be true or false, not 1'],
  [{ line_items: {} }, 'line_items must be a list, not an object'],
  [{ line_items: [null] }, 'line_items.0 is missing'],
  [{ ship_to_address: [] }, 'ship_to_address must be an object, not a list'],
  [{ channel_object: {} }, 'channel_object.channel_id is missing'],
  [
    { line_items: [order.line_items?.[0], { ...order.line_items?.[1], quantity: 1.5 }] },
    'line_items.1.quantity must be an integer, not 1.5',
  ],
  [
    { line_items: [{ ...order.line_items?.[0], quantity: 2 ** 53 }] },
    'line_items.0.quantity must be an integer, not 9007199254740992',
  ],
  [{ additional_fields: { a: [1n] } }, 'additional_fields.a.0 must be a JSON value, not a bigint'],
]
for (const [changes, message] of faults) {
  test(`refused: ${message}`, () => assert.equal(fault(() => completeOrder(orderWith(changes))).message, message))
}

test('a fault tells its place and its problem apart', () => {
  const { path, problem } = fault(() =>
    completeInventory({ ...stock, inventory_by_warehouse_id: { w1: {} as { onhand: number } } }),
  )
  assert.deepEqual({ path, problem }, { path: 'inventory_by_warehouse_id.w1.onhand', problem: 'is missing' })
  assert.equal(fault(() => completeOrder('order' as never)).message, 'the record must be an object, not a string')
})

test('a supplier cost of zero is kept apart from an unknown one', () => {
  const record = completer(products)({
    id: 'p1',
    created_date: '2026-11-20T08:15:30Z',
    updated_date: '2026-11-20T08:15:30Z',
    name: 'Mug',
    is_kit: false,
    active: true,
    supplier_products: [{ supplier_id: 's1', unit_cost: 0 }, { supplier_id: 's2' }],
  })
  assert.deepEqual(
    record.supplier_products.map(({ unit_cost }) => unit_cost),
    [0, null],
  )
})
