import assert from 'node:assert/strict'
import { test } from 'node:test'
import { completer } from '../../resources/complete.ts'
import type { RecordOf } from '../../resources/define.ts'
import { resources } from '../../resources/index.ts'
import { inboundShipments } from '../../resources/wms/inbound-shipments.ts'
import { inventory } from '../../resources/wms/inventory.ts'
import { packsOf } from '../../resources/wms/order-packs.ts'
import { orders } from '../../resources/wms/orders.ts'
import { returns } from '../../resources/wms/returns.ts'
import { generate } from '../../sandbox/warehouse/generate.ts'
import { readFunctions } from '../../sandbox/warehouse/kinds.ts'
import { readAction, readActions } from '../define.ts'
import { untrueFields } from '../untrue-fields.fixture.ts'
import type { Kind, Order } from './documents.ts'
import { toInboundShipment } from './inbound-shipments.ts'
import { sandbox } from './index.ts'
import { toLaborActivity } from './labor-activities.ts'
import { toOrder } from './orders.ts'
import { toReturn } from './returns.ts'
import { toInventory, toLedgerEntry } from './stock.ts'

const warehouse = generate('maps', new Date('2026-11-20T08:15:30.123Z'))
const integration = sandbox('http://127.0.0.1:1')
const unified = {
  orders: warehouse.orders.map((order) => completer(orders)(toOrder(order))),
  returns: warehouse.rmas.map((rma) => completer(returns)(toReturn(rma))),
  inbound: warehouse.asns.map((asn) => completer(inboundShipments)(toInboundShipment(asn))),
  inventory: warehouse.stock.map((stock) => completer(inventory)(toInventory(stock))),
}
const orderIn = (state: string): [Order, RecordOf<typeof orders>] => {
  const index = warehouse.orders.findIndex((order) => order.state === state)
  return [warehouse.orders[index]!, unified.orders[index]!]
}

test('every resource of its type can be read', () => {
  const expected = resources.filter(({ type }) => type === 'wms').map(({ readAction }) => readAction)
  assert.deepEqual(Object.keys(readActions(integration)).sort(), expected.sort())
  assert.deepEqual(Object.values(readFunctions).sort(), expected)
})

test('every document becomes a record that keeps to its declaration', () => {
  for (const [kind, name] of Object.entries(readFunctions)) {
    const { resource, map } = readAction(integration, name)
    const complete = completer(resource)
    const documents = warehouse[kind as Kind]
    assert.ok(documents.length > 0, kind)
    for (const document of documents) assert.equal(complete(map(document)).id, document.id)
  }
})

test('the fields told to be filled are filled in some record, the others in none', () => {
  for (const [kind, name] of Object.entries(readFunctions)) {
    const action = readAction(integration, name)
    const complete = completer(action.resource)
    assert.deepEqual(
      untrueFields(
        action,
        warehouse[kind as Kind].map((document) => complete(action.map(document))),
      ),
      { neverFilled: [], filledAllTheSame: [] },
      name,
    )
  }
})

test('every declared status is reached, each from one state of the warehouse', () => {
  const statuses = (list: { status: string }[]) => [...new Set(list.map(({ status }) => status))].sort()
  const declared = (schema: unknown) => [...(schema as { enum: string[] }).enum].sort()
  assert.deepEqual(statuses(unified.orders), declared(orders.fields.properties.status))
  assert.deepEqual(statuses(unified.returns), declared(returns.fields.properties.status))
  assert.deepEqual(statuses(unified.inbound), declared(inboundShipments.fields.properties.status))
  assert.deepEqual(statuses(unified.orders.flatMap(({ shipments }) => shipments)), ['cancelled', 'open', 'shipped'])
  for (const list of [unified.orders, unified.returns, unified.inbound]) {
    const pairs = new Set(list.map(({ status, raw_status }) => `${status} ${raw_status}`))
    assert.equal(pairs.size, new Set(list.map(({ status }) => status)).size)
  }
})

test('a state nobody has heard of becomes other and keeps its text', () => {
  const [shipped] = orderIn('SHIPPED')
  const order = toOrder({
    ...shipped,
    state: 'IN_LIMBO',
    consignments: shipped.consignments.map((consignment) => ({ ...consignment, state: 'LOST' })),
  })
  assert.deepEqual([order.status, order.raw_status], ['other', 'IN_LIMBO'])
  assert.deepEqual([order.shipments![0]!.status, order.shipments![0]!.raw_status], ['other', 'LOST'])

  const asn = toInboundShipment({ ...warehouse.asns[0]!, state: 'IN_LIMBO' })
  const rma = toReturn({ ...warehouse.rmas[0]!, state: 'IN_LIMBO' })
  const entry = toLedgerEntry({ ...warehouse.movements[0]!, code: 'VANISHED' })
  assert.deepEqual([asn.status, asn.raw_status, rma.status, rma.raw_status], ['other', 'IN_LIMBO', 'other', 'IN_LIMBO'])
  assert.deepEqual([entry.event_type, entry.raw_event_type], ['other', 'VANISHED'])
})

test('an activity nobody has heard of is a transfer that keeps its text', () => {
  const activity = toLaborActivity({ ...warehouse.tasks[0]!, activity: 'SWEEP' })
  assert.deepEqual([activity.activity_type, activity.additional_fields], ['transfer', { raw_activity_type: 'SWEEP' }])
})

test('money is in units of its currency, lengths in centimetres, weights in kilograms', () => {
  const [source, order] = orderIn('SHIPPED')
  const parcel = source.consignments[0]!.parcels[0]!
  const { shipping_cost, measurements } = order.shipments[0]!.packages[0]!
  assert.equal(Math.round(order.total_price! * 100), source.paid_cents)
  assert.equal(Math.round(shipping_cost! * 100), parcel.cost_cents)
  assert.deepEqual(measurements, {
    length: parcel.box.length_cm,
    width: parcel.box.width_cm,
    height: parcel.box.height_cm,
    unit: 'cm',
    weight: parcel.box.mass_g! / 1000,
    weight_unit: 'kg',
  })
})

test('a shipped order tells what left in which package, and what of it belongs to a kit', () => {
  for (const order of unified.orders.filter(({ status }) => status === 'fulfilled')) {
    const [shipment] = order.shipments
    const total = (lines: { quantity: number }[]) => lines.reduce((sum, { quantity }) => sum + quantity, 0)
    assert.equal(total(shipment!.line_items), total(shipment!.packages.flatMap(({ line_items }) => line_items)))
    assert.ok(
      shipment!.shipped_date && shipment!.packages.every(({ tracking_number, scac }) => tracking_number && scac),
    )
    assert.deepEqual(
      packsOf(order).packs.map(({ pack_id }) => pack_id),
      shipment!.packages.map(({ package_id }) => package_id),
    )
  }
  const kits = new Set(warehouse.articles.filter(({ kit }) => kit).map(({ id }) => id))
  const parts = unified.orders
    .flatMap(({ shipments }) => shipments.flatMap(({ line_items }) => line_items))
    .filter(({ parent_product_id }) => parent_product_id !== null)
  assert.ok(parts.length > 0 && parts.every(({ parent_product_id }) => kits.has(parent_product_id!)))
})

test('stock on hand is committed, unfulfillable and fulfillable, per warehouse, in all and over locations', () => {
  for (const item of unified.inventory) {
    const places = Object.values(item.inventory_by_warehouse_id)
    for (const { onhand, committed, unfulfillable, fulfillable } of [item, ...places]) {
      assert.ok(fulfillable! >= 0)
      assert.equal(onhand, committed! + unfulfillable! + fulfillable!)
    }
    assert.equal(
      item.onhand,
      places.reduce((sum, { onhand }) => sum + onhand, 0),
    )
    assert.equal(
      item.onhand,
      item.locations.reduce((sum, { quantity }) => sum + quantity, 0),
    )
    assert.ok(item.onhand >= item.lots.reduce((sum, { onhand }) => sum + onhand, 0))
    if (!item.active) assert.equal(item.sellable, 0)
  }
})
