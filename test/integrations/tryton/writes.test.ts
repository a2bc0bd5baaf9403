import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { type Connection, type Json, type Stage, startStage } from './connected.ts'
import { startRelay } from './relay.ts'

let stage: Stage
let connection: Connection
let token: string
let place: { warehouse: string; bin: string; product: string; sku: string }

before(async () => {
  stage = await startStage()
  const { admin, seeded } = stage.tryton
  const { crossdock: user } = seeded.users
  const [row] = await admin.searchRead('res.user', [['login', '=', user.login]], [])
  const [productAdministration] = await admin.searchRead('res.group', [['name', '=', 'Product Administration']], [])
  await admin.write('res.user', [row!.id], { groups: [['add', [productAdministration!.id]]] })
  const [, second] = seeded.warehouses
  const product = seeded.catalogue.activeProductIds[500]!
  place = {
    warehouse: String(second!.id),
    bin: String(second!.binIds[3]),
    product: String(product),
    sku: await skuOf(product),
  }
  connection = await stage.install(user)
  token = connection.token
  await connection.firstCrawls()
})

after(() => stage?.stop())

const address = {
  full_name: 'Recipient 900',
  address1: '900 Main Street',
  address2: 'Unit 4',
  city: 'Newark',
  state: 'NJ',
  postal_code: '07900',
  country: 'US',
}

const newOrder = (number: string, quantity = 3) => ({
  order_number: number,
  reference_id: `WEB-${number}`,
  trading_partner: 'Newcomer Retail',
  ship_to_address: address,
  warehouse_id: place.warehouse,
  line_items: [{ product_id: place.product, sku: place.sku, quantity, unit_price: 12.5 }],
})

test('an order is created, shipped and sent back; Tryton and our list tell the same, before and after the next crawl', async () => {
  const { admin } = stage.tryton
  const created = await written('POST', '/wms/orders', newOrder('N-1'))
  assert.equal(created.data.status, 'processing')
  assert.deepEqual(
    [created.data.order_number, created.data.reference_id, created.data.trading_partner, created.data.warehouse_id],
    ['N-1', 'WEB-N-1', 'Newcomer Retail', place.warehouse],
  )
  assert.deepEqual(created.data.ship_to_address, {
    ...created.data.ship_to_address,
    full_name: 'Recipient 900',
    address1: '900 Main Street',
    address2: 'Unit 4',
    state: 'NJ',
    country: 'US',
  })
  assert.deepEqual(await inTryton('stock.shipment.out', created.id, ['number', 'reference', 'state']), {
    number: 'N-1',
    reference: 'WEB-N-1',
    state: 'assigned',
  })

  const shipped = await written('POST', `/wms/orders/${created.id}/shipments`, {
    shipped_date: '2026-01-05T10:00:00Z',
    tracking_number: 'TRACK-N-1',
    line_items: [{ sku: place.sku, quantity: 3 }],
  })
  assert.equal(shipped.data.status, 'fulfilled')
  assert.equal(shipped.data.shipments[0].shipped_date, '2026-01-05T00:00:00.000Z')
  assert.equal(shipped.data.shipments[0].packages[0].tracking_number, 'TRACK-N-1')
  const [box] = await admin.searchRead<Json>(
    'stock.package',
    [['shipment', '=', `stock.shipment.out,${created.id}`]],
    ['shipping_reference'],
  )
  assert.equal(box.shipping_reference, 'TRACK-N-1')
  assert.equal((await inTryton('stock.shipment.out', created.id, ['state'])).state, 'done')

  const returned = await written('POST', '/wms/returns', {
    return_number: 'R-1',
    order_id: created.id,
    line_items: [{ sku: place.sku, expected_quantity: 2 }],
  })
  assert.deepEqual([returned.data.status, returned.data.order_id], ['open', created.id])
  assert.equal((await inTryton('stock.shipment.out.return', returned.id, ['reference'])).reference, 'R-1')

  await sameAfterCrawl({
    get_orders: { list: '/wms/orders', record: shipped.data },
    get_returns: { list: '/wms/returns', record: returned.data },
  })

  for (const step of ['receive', 'done']) await admin.button('stock.shipment.out.return', step, [Number(returned.id)])
  await connection.sync('get_returns')
  const { body } = await connection.call('GET', `/wms/returns/${returned.id}`)
  assert.deepEqual([body.data.status, body.data.line_items[0].received_quantity], ['received', 2])
})

test('stock is adjusted and an inbound shipment received into a bin', async () => {
  const before = (await connection.call('GET', `/wms/inventory/${place.product}`)).body.data
  const adjusted = await written('PUT', `/wms/inventory/${place.product}/adjust`, {
    quantity: 7,
    adjustment_type: 'increase',
    location_id: place.bin,
  })
  assert.equal(binOf(adjusted.data), binOf(before) + 7)
  assert.equal(await binInTryton(), binOf(before) + 7)
  await sameAfterCrawl({ get_inventory: { list: '/wms/inventory', record: adjusted.data } })

  const announced = await written('POST', '/wms/inbound-shipments', {
    supplier: 'Supplier 2',
    purchase_order_number: 'PO-N-1',
    expected_arrival_date: '2026-02-01T12:00:00Z',
    warehouse_id: place.warehouse,
    line_items: [{ sku: place.sku, expected_quantity: 24 }],
  })
  assert.deepEqual([announced.data.status, announced.data.purchase_order_number], ['open', 'PO-N-1'])
  const received = await written('PUT', `/wms/inbound-shipments/${announced.id}/receive`, {
    line_items: [{ sku: place.sku, quantity: 20 }],
    warehouse_location_id: place.bin,
  })
  assert.deepEqual([received.data.status, received.data.line_items[0].received_quantity], ['received', 20])
  assert.equal((await inTryton('stock.shipment.in', announced.id, ['state'])).state, 'done')
  assert.equal(await binInTryton(), binOf(before) + 27)
  await sameAfterCrawl({ get_inbound_shipments: { list: '/wms/inbound-shipments', record: received.data } })
})

test('a product is created and changed, an order and a return are cancelled', async () => {
  const created = await written('POST', '/wms/products', {
    sku: 'TENT-XL',
    name: 'Tent',
    gtin: '4006381333931',
    measurements: { length: 30, width: 20, height: 10, unit: 'cm', weight: 1.5, weight_unit: 'kg' },
  })
  assert.deepEqual([created.data.sku, created.data.gtin], ['TENT-XL', '4006381333931'])
  const changed = await written('PUT', `/wms/products/${created.id}`, {
    name: 'Tent Extra Large',
    gtin: '4006381333948',
  })
  assert.deepEqual([changed.data.name, changed.data.gtin], ['Tent Extra Large', '4006381333948'])
  const product = await inTryton('product.product', created.id, ['name', 'code', 'weight'])
  assert.deepEqual(product, { name: 'Tent Extra Large', code: 'TENT-XL', weight: 1.5 })

  const order = await written('POST', '/wms/orders', newOrder('N-2'))
  const announced = await written('POST', '/wms/returns', {
    return_number: 'R-2',
    order_id: order.id,
    line_items: [{ sku: place.sku, expected_quantity: 1 }],
  })
  const cancelledReturn = await written('PUT', `/wms/returns/${announced.id}/cancel`)
  const cancelled = await written('PUT', `/wms/orders/${order.id}/cancel`)
  assert.deepEqual([cancelled.data.status, cancelledReturn.data.status], ['cancelled', 'cancelled'])
  assert.equal((await inTryton('stock.shipment.out', order.id, ['state'])).state, 'cancelled')
  await sameAfterCrawl({
    get_products: { list: '/wms/products', record: changed.data },
    get_orders: { list: '/wms/orders', record: cancelled.data },
    get_returns: { list: '/wms/returns', record: cancelledReturn.data },
  })
})

test('the same Idempotency-Key twice makes one order in Tryton, and so does the same number with another key', async () => {
  const { admin } = stage.tryton
  const post = (key: string) =>
    stage.crossdock.call('POST', '/wms/orders', { token, body: newOrder('N-3'), headers: { 'idempotency-key': key } })
  const key = randomUUID()
  const [first, second] = [await post(key), await post(key)]
  assert.deepEqual([first.status, second.status], [200, 200])
  assert.equal(second.headers.get('idempotent-replayed'), 'true')
  assert.equal(second.body.id, first.body.id)
  const third = await post(randomUUID())
  assert.deepEqual([third.status, third.body.origin], [409, 'integration'])
  assert.equal(await admin.count('stock.shipment.out', [['number', '=', 'N-3']]), 1)
  assert.equal(await admin.count('party.party', [['name', '=', 'Newcomer Retail']]), 1)
  assert.equal(
    await admin.count('party.address', [
      ['party.name', '=', 'Newcomer Retail'],
      ['street', 'like', '900%'],
    ]),
    1,
  )
})

test('an order whose answer was cut off is found again under its key, in Tryton and in our list once', async (t) => {
  const { admin, seeded, url, database } = stage.tryton
  const relay = await startRelay(url, database)
  t.after(relay.stop)
  const behind = await stage.install(seeded.users.crossdock, { url: relay.url, disabledFunctions: ['get_inventory'] })
  const post = () =>
    stage.crossdock.call('POST', '/wms/orders', {
      token: behind.token,
      body: newOrder('N-CUT'),
      headers: { 'idempotency-key': 'cut off' },
    })
  relay.cutOff('model.stock.shipment.out.create')
  const first = await post()
  assert.deepEqual([first.status, first.body.origin], [502, 'integration'])
  assert.equal(await admin.count('stock.shipment.out', [['number', '=', 'N-CUT']]), 1)
  const again = await post()
  assert.deepEqual([again.status, again.body.data?.order_number], [200, 'N-CUT'], JSON.stringify(again.body))
  assert.equal((await post()).headers.get('idempotent-replayed'), 'true')
  assert.equal(await admin.count('stock.shipment.out', [['number', '=', 'N-CUT']]), 1)
  await behind.firstCrawls()
  assert.deepEqual((await behind.call('GET', '/wms/orders?order_number=N-CUT')).body.data, [again.body.data])
})

test('an order that was created and then not let go on is found again under its key', async (t) => {
  const { admin, seeded, url, database } = stage.tryton
  const relay = await startRelay(url, database)
  t.after(relay.stop)
  const behind = await stage.install(seeded.users.crossdock, { url: relay.url, disabledFunctions: ['get_inventory'] })
  const notAllowed = { id: 0, error: ['UserError', ['You are not allowed to access "Customer Shipment".', '', null]] }
  const refusals = [
    { number: 'N-SLOW', refusal: { status: 429, body: {} }, status: 502 },
    { number: 'N-RIGHT', refusal: { status: 200, body: notAllowed }, status: 400 },
  ]
  for (const { number, refusal, status } of refusals) {
    const post = () =>
      stage.crossdock.call('POST', '/wms/orders', {
        token: behind.token,
        body: newOrder(number),
        headers: { 'idempotency-key': number },
      })
    relay.refuse('model.stock.shipment.out.wait', refusal)
    for (let time = 0; time < 2; time++) assert.equal((await post()).status, status)
    relay.refuse('model.stock.shipment.out.wait', null)
    const again = await post()
    assert.deepEqual([again.status, again.body.data?.order_number], [200, number], JSON.stringify(again.body))
    assert.equal(await admin.count('stock.shipment.out', [['number', '=', number]]), 1)
  }
})

test("an order that failed before it reached Tryton is never taken to be another's with its number", async (t) => {
  const { admin, seeded, url, database } = stage.tryton
  const relay = await startRelay(url, database)
  t.after(relay.stop)
  const behind = await stage.install(seeded.users.crossdock, { url: relay.url, disabledFunctions: ['get_inventory'] })
  const post = (key: string, trading_partner: string, quantity: number) =>
    stage.crossdock.call('POST', '/wms/orders', {
      token: behind.token,
      body: { ...newOrder('N-SAME', quantity), trading_partner },
      headers: { 'idempotency-key': key },
    })
  const others = [
    // looked up before anything is made, and after a new customer was
    { key: 'second', model: 'product.product', partner: 'Newcomer Retail' },
    { key: 'third', model: 'stock.location', partner: 'Newcomer Wholesale' },
  ]
  for (const { key, model, partner } of others) {
    relay.refuse(`model.${model}.search_read`, { status: 503, body: {} })
    assert.equal((await post(key, partner, 7)).status, 502)
    relay.refuse(`model.${model}.search_read`, null)
  }
  assert.equal((await post('first', 'Newcomer Retail', 3)).status, 200)
  for (const { key, partner } of others) {
    const answer = await post(key, partner, 7)
    assert.deepEqual([answer.status, answer.body.origin], [409, 'integration'], JSON.stringify(answer.body))
  }
  assert.equal(await admin.count('stock.shipment.out', [['number', '=', 'N-SAME']]), 1)
})

test('orders of one new customer at the same time make one customer', async () => {
  const { admin } = stage.tryton
  const trading_partner = 'Brand New Ltd'
  const posts = Array.from({ length: 6 }, (_, i) =>
    connection.call('POST', '/wms/orders', { ...newOrder(`P-${i}`, 1), trading_partner }),
  )
  for (const { status, body } of await Promise.all(posts)) assert.equal(status, 200, JSON.stringify(body))
  assert.equal(await admin.count('party.party', [['name', '=', trading_partner]]), 1)
  assert.equal(await admin.count('party.address', [['party.name', '=', trading_partner]]), 1)
})

test('an adjustment that is refused releases its key: the count made for it is cancelled', async () => {
  const adjust = (quantity: number) =>
    stage.crossdock.call('PUT', `/wms/inventory/${place.product}/adjust`, {
      token,
      body: { quantity, adjustment_type: 'decrease', location_id: place.bin },
      headers: { 'idempotency-key': 'adjust' },
    })
  assert.equal((await adjust(100_000)).status, 422)
  assert.equal((await adjust(1)).status, 200)
})

test('what Tryton cannot do is told as its refusal, and leaves what there was', async () => {
  const order = await written('POST', '/wms/orders', newOrder('N-4', 900_000))
  assert.ok(['confirmed', 'backordered'].includes(order.data.status))
  const refusal = async (method: string, path: string, body: Json, status: number, message: RegExp) => {
    const answer = await connection.call(method, path, body)
    assert.deepEqual([answer.status, answer.body.origin], [status, 'integration'], JSON.stringify(answer.body))
    assert.match(answer.body.error, message)
  }
  await refusal('POST', `/wms/orders/${order.id}/shipments`, {}, 409, /not enough stock/)
  const part = { line_items: [{ sku: place.sku, quantity: 1 }] }
  await refusal('POST', `/wms/orders/${order.id}/shipments`, part, 422, /as a whole/)
  const foreign = { ...newOrder('N-5'), ship_to_address: { ...address, country: 'ZZ' } }
  await refusal('POST', '/wms/orders', foreign, 422, /no country ZZ/)
  const wrongCode = { sku: 'TENT-2', name: 'Tent', gtin: '4006381333930' }
  await refusal('POST', '/wms/products', wrongCode, 422, /4006381333930/)
  const fewer = { quantity: 100_000, adjustment_type: 'decrease', location_id: place.bin }
  await refusal('PUT', `/wms/inventory/${place.product}/adjust`, fewer, 422, /only \d+/)
  await written('PUT', `/wms/orders/${order.id}/cancel`)
  await refusal('PUT', `/wms/orders/${order.id}/cancel`, undefined, 409, /cancelled already/)
  for (const id of ['999999', 'no-id']) {
    const unknown = await connection.call('PUT', `/wms/orders/${id}/cancel`)
    assert.deepEqual([unknown.status, unknown.body.id], [404, id])
  }
  assert.equal(await stage.tryton.admin.count('product.template', [['code', '=', 'TENT-2']]), 0)
})

test('with an access token, write-info lists the values of this Tryton', async () => {
  const { seeded } = stage.tryton
  const { status, body } = await connection.call('GET', '/integrations/wms/tryton/write-info')
  assert.equal(status, 200)
  const { CreateOrder: order, CreateInboundShipment: inbound, AdjustInventory: stock } = body.components.schemas
  const warehouses = seeded.warehouses.map(({ id }) => String(id))
  assert.deepEqual(order.properties.warehouse_id.enum, warehouses)
  assert.deepEqual(inbound.properties.warehouse_id.enum, warehouses)
  assert.deepEqual(order.properties.shipping_method_id.enum, seeded.parties.carrierIds.map(String))
  assert.ok(order.properties.shipping_method.enum.includes('Parcel Express delivery'))
  assert.ok(inbound.properties.supplier.enum.includes('Supplier 5'))
  assert.ok(seeded.warehouses.every(({ binIds }) => stock.properties.location_id.enum.includes(String(binIds[0]))))
})

/** What a write answers; the record is in our list at once. */
async function written(method: string, path: string, body?: Json): Promise<{ id: string; data: Json }> {
  const answer = await connection.call(method, path, body)
  assert.equal(answer.status, 200, `${method} ${path}: ${JSON.stringify(answer.body)}`)
  assert.deepEqual(answer.body.unused_fields, [])
  const list = `/${path.split('/').slice(1, 3).join('/')}`
  const { body: read } = await connection.call('GET', `${list}/${answer.body.id}`)
  assert.deepEqual(read.data, answer.body.data)
  return answer.body
}

/** A crawl brings the same record once more and nothing beside it. */
async function sameAfterCrawl(lists: Record<string, { list: string; record: Json }>) {
  const before = await Promise.all(Object.values(lists).map(({ list }) => connection.list(list)))
  await connection.sync(...Object.keys(lists))
  for (const [i, { list, record }] of Object.values(lists).entries()) {
    const records = await connection.list(list)
    assert.equal(records.length, before[i]!.length)
    assert.deepEqual(
      records.filter(({ id }) => id === record.id),
      [record],
    )
  }
}

async function inTryton(model: string, id: string, fields: string[]) {
  const [row] = await stage.tryton.admin.searchRead<Json>(model, [['id', '=', Number(id)]], fields)
  const { id: _, ...found } = row
  return found as Json
}

async function skuOf(product: number): Promise<string> {
  const [row] = await stage.tryton.admin.searchRead<Json>('product.product', [['id', '=', product]], ['code'])
  return row.code
}

const binOf = (stock: Json) => stock.locations.find(({ location_id }: Json) => location_id === place.bin)?.quantity ?? 0

async function binInTryton(): Promise<number> {
  const moves = await stage.tryton.admin.searchRead<Json>(
    'stock.move',
    [
      ['product', '=', Number(place.product)],
      ['state', '=', 'done'],
      ['OR', ['from_location', '=', Number(place.bin)], ['to_location', '=', Number(place.bin)]],
    ],
    ['to_location', 'internal_quantity'],
  )
  const signed = moves.map((move) => (String(move.to_location) === place.bin ? 1 : -1) * move.internal_quantity)
  return signed.reduce((sum, change) => sum + change, 0)
}
