import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '../../server/src/eventually.fixture.ts'
import { anOrder } from '../harness/an-order.ts'
import { useSandbox } from '../harness/sandbox.ts'

const sandbox = useSandbox()
const { call, ok } = sandbox

/** Resolves when a crawl that begins now has ended. */
async function crawled(functionName: string) {
  const ended = async () => {
    const { sync_schedules } = (await ok('GET', `/connections/${sandbox.id}`)).data[0]
    return sync_schedules.find((each: any) => each.function_name === functionName).last_crawl_end
  }
  const before = await ended()
  await ok('POST', '/connections/sync', { functions_to_sync: [functionName] })
  await eventually(async () => (await ended()) !== before)
}

const order = (more: object = {}) => ok('POST', '/wms/orders', anOrder(more))
const sku = 'OUT-TEN-SMA'
const inbound = () =>
  ok('POST', '/wms/inbound-shipments', {
    supplier: 'Domestic Outdoor Goods Supply',
    purchase_order_number: 'U',
    expected_arrival_date: '2026-12-01T00:00:00Z',
    warehouse_id: 'F1',
    tracking_number: '1Z',
    line_items: [{ sku, expected_quantity: 4 }],
  })
const unmeasured = { length: null, width: null, height: null, unit: null, weight: null, weight_unit: null }
const values = (record: object) => [...new Set(Object.values(record))]

test('where an inbound shipment comes from is null until it is known', async () => {
  const { data } = await inbound()
  assert.deepEqual(values(data.ship_from_address), [null])
  assert.equal(data.line_items[0].external_id, null)
})

test('sizes that nobody measured are null, and weights have no crooked decimals', async () => {
  const { data } = await order()
  const shipment = {
    shipped_date: '2026-11-20T08:15:30Z',
    tracking_number: '1Z1',
    shipping_cost: 4.2,
    warehouse_id: data.warehouse_id,
  }
  const packages = ['1', '2'].map((package_id) => ({ package_id, tracking_number: '1Z1' }))
  const part = await ok('POST', `/wms/orders/${data.id}/shipments`, {
    ...shipment,
    measurements: {},
    packages,
    line_items: [{ sku: data.line_items[0].sku, quantity: 1 }],
  })
  const told = part.data.shipments[0].packages
  assert.deepEqual(
    told.map((box: any) => [box.measurements, box.shipping_cost]),
    [
      [unmeasured, 4.2],
      [unmeasured, null],
    ],
  )
  const rest = await ok('POST', `/wms/orders/${data.id}/shipments`, {
    ...shipment,
    measurements: { weight: 2, weight_unit: 'lb' },
  })
  assert.deepEqual(rest.data.shipments[1].packages[0].measurements, {
    ...unmeasured,
    weight: 0.907185,
    weight_unit: 'kg',
  })
})

test('a product has what was given of its size, a change leaves the rest as it is', async () => {
  const { id, data } = await ok('POST', '/wms/products', { sku: 'U-1', name: 'U', measurements: { length: 10 } })
  assert.equal(data.unit_price, null)
  const item = data.inventory_items[0].inventory_item_id
  const stock = async () =>
    (await ok('POST', '/wms/passthrough', { method: 'GET', path: `/v1/stock/${item}` })).body.box
  assert.deepEqual(await stock(), { length_cm: 10, width_cm: null, height_cm: null, mass_g: null })
  await ok('PUT', `/wms/products/${id}`, { measurements: { weight: 1.5 } })
  assert.deepEqual(await stock(), { length_cm: 10, width_cm: null, height_cm: null, mass_g: 1500 })
  await crawled('get_inventory')
  const { measurements, unit_cost } = (await ok('GET', `/wms/inventory/${item}`)).data
  assert.deepEqual(measurements, { ...unmeasured, length: 10, unit: 'cm', weight: 1.5, weight_unit: 'kg' })
  assert.equal(unit_cost, null)
})

test('a return that was only announced has no costs, sizes or carrier', async () => {
  const { data } = await ok('POST', '/wms/returns', {
    return_number: 'U',
    order_id: 'O100001',
    tracking_number: '1Z7',
    line_items: [{ sku, expected_quantity: 1 }],
  })
  const [{ tracking_number, shipping_cost, measurements, carrier_id, scac }] = data.shipments
  assert.deepEqual(
    [tracking_number, shipping_cost, measurements, carrier_id, scac],
    ['1Z7', null, unmeasured, null, null],
  )
})

test('an order has no taxes, discounts or transport costs that nobody named', async () => {
  const { total_tax, total_discount, total_shipping, line_items } = (await order()).data
  assert.deepEqual([total_tax, total_discount, total_shipping, line_items[0].discount_amount], [null, null, null, null])
  const named = (await order({ total_tax: 0, total_discount: 1.5, total_shipping: 2 })).data
  assert.deepEqual([named.total_tax, named.total_discount, named.total_shipping], [0, 1.5, 2])
})

test('a new channel of an order is listed after the next crawl, and is the same one the next time', async () => {
  const channels = await Promise.all([1, 2, 3].map(async () => (await order({ channel: 'Pop-up Store' })).data))
  const { channel_id } = channels[0].channel_object
  for (const { channel, channel_object } of channels) {
    assert.deepEqual([channel, channel_object], ['Pop-up Store', { channel_id, channel_name: 'Pop-up Store' }])
  }
  await crawled('get_order_channels')
  const { data } = await ok('GET', '/wms/orders/channels?limit=1000')
  assert.deepEqual(
    data.filter(({ name }: { name: string }) => name === 'Pop-up Store').map(({ id }: { id: string }) => id),
    [channel_id],
  )
})

test('goods are received and taken only where they are', async () => {
  const { id } = await inbound()
  const receipt = { line_items: [{ sku, quantity: 4 }] }
  const elsewhere = await call('PUT', `/wms/inbound-shipments/${id}/receive`, {
    ...receipt,
    warehouse_location_id: 'F2-P-01',
  })
  assert.deepEqual([elsewhere.status, elsewhere.body.origin], [422, 'integration'])
  assert.match(elsewhere.body.error, /no slot F2-P-01 in facility F1/)
  assert.deepEqual(elsewhere.body.detail, { json: { _schema: [elsewhere.body.error] } })
  await ok('PUT', `/wms/inbound-shipments/${id}/receive`, { ...receipt, warehouse_location_id: 'F1-P-01' })

  const adjust = (more: object) =>
    call('PUT', '/wms/inventory/K5003/adjust', { warehouse_id: 'F1', location_id: 'F1-H-02', ...more })
  assert.equal((await adjust({ quantity: 3, adjustment_type: 'increase' })).status, 200)
  const tooMany = await adjust({ quantity: 4, adjustment_type: 'decrease' })
  assert.deepEqual([tooMany.status, tooMany.body.origin], [409, 'integration'])
  const taken = await adjust({ quantity: 2, adjustment_type: 'decrease' })
  const left = taken.body.data.locations.find(({ location_id }: { location_id: string }) => location_id === 'F1-H-02')
  assert.equal(left.quantity, 1)
})
