import assert from 'node:assert/strict'
import { test } from 'node:test'
import { completer } from '../../resources/complete.ts'
import { inventory } from '../../resources/wms/inventory.ts'
import { inventoryLedger } from '../../resources/wms/inventory-ledger.ts'
import { orders } from '../../resources/wms/orders.ts'
import { readActions } from '../define.ts'
import { implementedFields } from '../implemented-fields.ts'
import { toAddress } from './addresses.ts'
import { tryton } from './index.ts'
import { type Stock, type StockLevel, toInventory } from './inventory.ts'
import { toLedgerEntry } from './ledger.ts'
import { toMeasurements } from './measurements.ts'
import { linesOf, unitPrice } from './moves.ts'
import { type CustomerShipment, toOrder } from './orders.ts'
import { toPieces, toStock } from './quantities.ts'
import { stamp } from './stamps.ts'
import { plain, toDatetime } from './values.ts'

const created = '2026-11-01T08:00:00.000Z'

test('typed values become plain ones, wherever they are nested', () => {
  const instant = new Date('2026-11-21T01:02:03.456Z')
  const typed = { 'lines.': [{ price: { __class__: 'Decimal', decimal: '19.90' }, at: toDatetime(instant) }] }
  assert.deepEqual(plain(typed), { 'lines.': [{ price: 19.9, at: '2026-11-21T01:02:03.456Z' }] })
  assert.equal(plain({ __class__: 'date', year: 2026, month: 1, day: 9 }), '2026-01-09T00:00:00.000Z')
})

test('documents count broken pieces up, stock counts them down, noise of sums counts nothing', () => {
  assert.deepEqual([toPieces(2.5), toPieces(-2.5), toPieces(0.1 + 0.2 + 2.7), toPieces(0)], [3, -3, 3, 0])
  assert.deepEqual([toStock(2.5), toStock(2.9999999999), toStock(-0.5)], [2, 3, -1])
})

test('a record is as new as its newest part', () => {
  const row = { id: 7, create_date: created, write_date: null }
  assert.equal(stamp(row).updated_date, created)
  const part = { create_date: '2026-11-02T00:00:00.000Z', write_date: '2026-11-03T00:00:00.000Z' }
  assert.equal(stamp(row, [part]).updated_date, '2026-11-03T00:00:00.000Z')
})

const level = (change: Partial<StockLevel>): StockLevel => ({
  warehouse: 5,
  quantity: 0,
  unreserved: 0,
  assignable: 0,
  incoming: 0,
  ...change,
})

const stock = (change: Partial<Stock>, active = true): Stock => ({
  product: {
    id: 1,
    code: 'A',
    name: 'Item',
    active,
    cost_price: 3,
    'default_uom.': { symbol: 'kg' },
    'template.': { create_date: created, write_date: null },
    create_date: created,
    write_date: null,
  },
  levels: [],
  lots: [],
  locations: [],
  ...change,
})

test('stock on hand is committed, fulfillable or neither, in whole pieces too', () => {
  const levels = [
    level({ quantity: 10, unreserved: 7, assignable: 5, incoming: 4 }),
    level({ warehouse: 6, quantity: 3.7, unreserved: 2.2, assignable: 2.2 }),
  ]
  const record = completer(inventory)(toInventory(stock({ levels })))
  const { onhand, committed, unfulfillable, fulfillable, awaiting, sellable } = record
  assert.deepEqual([onhand, committed, unfulfillable, fulfillable, awaiting, sellable], [13, 4, 2, 7, 4, 7])
  for (const each of Object.values(record.inventory_by_warehouse_id)) {
    assert.equal(each.onhand, each.committed! + each.unfulfillable! + each.fulfillable!)
  }
})

test('an archived product sells nothing; lots and locations without a whole piece are left out', () => {
  const lots = [
    { number: 'L1', warehouse: 5, quantity: 0.4 },
    { number: 'L2', warehouse: 5, quantity: 2 },
  ]
  const locations = [{ location: 9, warehouse: 5, quantity: 0.4 }]
  const archived = stock({ levels: [level({ quantity: 2, unreserved: 2, assignable: 2 })], lots, locations }, false)
  const record = toInventory(archived)
  assert.deepEqual([record.active, record.fulfillable, record.sellable], [false, 2, 0])
  assert.deepEqual(record.lots, [{ lot_id: 'L2', onhand: 2, warehouse_id: '5' }])
  assert.deepEqual(record.locations, [])
})

test('sides in inches stay so, mixed ones become centimetres; an unknown unit gives no figure', () => {
  const inches = { symbol: 'in' }
  assert.deepEqual(toMeasurements({ length: 2, 'length_uom.': inches, width: 3, 'width_uom.': inches }), {
    length: 2,
    width: 3,
    height: null,
    unit: 'in',
    weight: null,
    weight_unit: null,
  })
  const mixed = toMeasurements({
    length: 2,
    'length_uom.': inches,
    height: 1,
    'height_uom.': { symbol: 'm' },
    weight: 250,
    'weight_uom.': { symbol: 'g' },
  })
  assert.deepEqual([mixed.length, mixed.height, mixed.unit], [5.08, 100, 'cm'])
  assert.deepEqual([mixed.weight, mixed.weight_unit], [0.25, 'kg'])
  assert.equal(toMeasurements({ weight: 1, 'weight_uom.': { symbol: 'stone' } }).weight, null)
})

test('the lines of a street become the lines of the address', () => {
  const address = toAddress({
    street: '1 Main Street\n\nUnit 4\nGate B\nRear',
    city: 'Newark',
    postal_code: '07001',
    'country.': { code: 'US' },
    'subdivision.': { code: 'US-NJ' },
  })
  assert.deepEqual([address.address1, address.address2, address.address3], ['1 Main Street', 'Unit 4', 'Gate B, Rear'])
  assert.deepEqual([address.state, address.country], ['NJ', 'US'])
})

const move = (change: object = {}) => ({
  id: 1,
  product: 4,
  'product.': { code: 'A' },
  quantity: 2,
  internal_quantity: 24,
  state: 'draft',
  unit_price: 36,
  'currency.': null,
  create_date: created,
  write_date: null,
  ...change,
})

const shipment = (change: Partial<CustomerShipment> = {}): CustomerShipment => ({
  id: 12,
  number: null,
  reference: null,
  state: 'draft',
  customer: 2,
  'customer.': { name: 'Customer 1', phone: null, email: null },
  warehouse: 5,
  'warehouse.': null,
  planned_date: null,
  effective_date: null,
  'company.': { 'currency.': { code: 'USD' } },
  'delivery_address.': null,
  'outgoing_moves.': [move()],
  create_date: created,
  write_date: null,
  ...change,
})

const order = (change?: Partial<CustomerShipment>) => completer(orders)(toOrder(shipment(change)))

test('lines count and cost by the piece that stock is counted in', () => {
  assert.deepEqual(order().line_items, [
    { product_id: '4', sku: 'A', quantity: 24, unit_price: 3, is_picked: false, discount_amount: null },
  ])
  assert.equal(unitPrice(move({ unit_price: null })), null)
})

test('a draft without number and reference goes by its id', () => {
  const { reference_id, order_number } = order()
  assert.deepEqual([reference_id, order_number], ['12', '12'])
})

test('a waiting shipment of which some stock is assigned lacks the rest', () => {
  assert.equal(order({ state: 'waiting' }).status, 'confirmed')
  assert.equal(order({ state: 'waiting', partially_assigned: true }).status, 'backordered')
})

test('an unknown state is other, in its own words', () => {
  const { status, raw_status } = order({ state: 'quarantined' })
  assert.deepEqual([status, raw_status], ['other', 'quarantined'])
})

test('a shipment is told of when it has left, even without the modules for carriers and packages', () => {
  assert.deepEqual(order({ state: 'packed' }).shipments, [])
  const [left] = order({ state: 'done', effective_date: '2026-11-20T00:00:00.000Z' }).shipments
  assert.deepEqual([left!.shipment_id, left!.shipped_date], ['out-000012', '2026-11-20T00:00:00.000Z'])
  assert.deepEqual(
    left!.line_items.map(({ quantity }) => quantity),
    [24],
  )
  assert.deepEqual(left!.packages, [])
})

test('lines taken out do not count; those of a cancelled shipment do', () => {
  const lines = [move({ id: 2, state: 'cancelled' }), move({ id: 1 })]
  assert.deepEqual(
    linesOf('draft', lines).map(({ id }) => id),
    [1],
  )
  assert.deepEqual(
    linesOf('cancelled', lines).map(({ id }) => id),
    [1, 2],
  )
})

test('a move is an entry at each end that lies in a warehouse, and says what it was for', () => {
  const place = (type: string, warehouse: number | null) => ({ name: type, type, warehouse })
  const done = {
    id: 3,
    product: 4,
    'product.': { code: null },
    internal_quantity: 2,
    effective_date: null,
    shipment: 'stock.shipment.out,12',
    from_location: 8,
    'from_location.': place('storage', 5),
    to_location: 9,
    'to_location.': place('customer', null),
    create_date: created,
    write_date: null,
  }
  const entry = completer(inventoryLedger)(toLedgerEntry({ move: done, end: 'from_location' }))
  assert.deepEqual(
    [entry.id, entry.quantity, entry.event_type, entry.location_id],
    ['3-from', -2, 'order_shipment', '8'],
  )
  assert.deepEqual([entry.object_type, entry.object_id, entry.sku], ['order', '12', '4'])
})

test('what is said to be left out exists', () => {
  for (const action of Object.values(readActions(tryton))) assert.doesNotThrow(() => implementedFields(action))
})
