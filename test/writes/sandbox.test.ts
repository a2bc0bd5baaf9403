import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '../../server/src/eventually.fixture.ts'
import { anOrder } from '../harness/an-order.ts'
import { useSandbox } from '../harness/sandbox.ts'

const sandbox = useSandbox()
const { call, ok } = sandbox

/** The warehouse's own documents, past our copies. */
async function inWarehouse(path: string) {
  const { body } = await ok('POST', '/wms/passthrough', { method: 'GET', path })
  return body
}

const level = (stock: any, facility: string) => stock.levels.find((each: any) => each.facility === facility)
const eventTypes = async (id: string) =>
  (await sandbox.crossdock.call('GET', `/webhook-events?resource_id=${id}`)).body.data
    .map((event: { event_type: string }) => event.event_type)
    .sort()

test('a created order is readable at once, its stock is committed, and cancelling gives it back', async () => {
  const before = await inWarehouse('/v1/stock/K5001')
  const { data, id, unused_fields } = await ok(
    'POST',
    '/wms/orders',
    anOrder({ reference_id: 'mine-1', total_price: 12.5, shipping_method_id: 'S3', service_tags: ['a', { b: 'c' }] }),
  )
  assert.deepEqual([data.id, data.status, unused_fields], [id, 'confirmed', []])
  assert.deepEqual(
    [data.reference_id, data.total_price, data.shipping_method_name, data.service_tags],
    ['mine-1', 12.5, 'FedEx Home Delivery', ['a', { b: 'c' }]],
  )
  assert.deepEqual((await ok('GET', `/wms/orders/${id}`)).data, data)
  assert.deepEqual((await ok('GET', '/wms/orders?limit=1&reference_id=mine-1')).data, [data])
  const committed = await inWarehouse('/v1/stock/K5001')
  const place = data.warehouse_id
  assert.equal(level(committed, place).allocated, level(before, place).allocated + 2)

  const cancelled = await ok('PUT', `/wms/orders/${id}/cancel`)
  assert.equal(cancelled.data.status, 'cancelled')
  assert.deepEqual(level(await inWarehouse('/v1/stock/K5001'), place), level(before, place))
  const again = await call('PUT', `/wms/orders/${id}/cancel`)
  assert.deepEqual([again.status, again.body.origin], [400, 'integration'])
  assert.deepEqual(await eventTypes(id), ['order.created', 'order.updated'])
})

test('an order is changed, shipped in two parts, and what left is in the ledger', async () => {
  const { id, data } = await ok('POST', '/wms/orders', anOrder())
  const changed = await ok('PUT', `/wms/orders/${id}`, {
    line_items: [{ product_id: 'A1001', quantity: 3, unit_price: 7.25 }],
    ship_to_address: { city: 'Salem' },
    status: 'processing',
  })
  assert.deepEqual(
    [changed.data.status, changed.data.ship_to_address.city, changed.data.ship_to_address.address1],
    ['processing', 'Salem', '12 Main Street'],
  )
  const stock = await inWarehouse('/v1/stock/K5001')
  const sku = changed.data.line_items[0].sku
  const shipment = {
    shipped_date: '2026-11-20T08:15:30Z',
    tracking_number: '1Z1',
    shipping_cost: 4.2,
    measurements: { length: 10, unit: 'in' },
    warehouse_id: data.warehouse_id,
  }
  const part = await ok('POST', `/wms/orders/${id}/shipments`, {
    ...shipment,
    packages: [{ package_id: 'BOX-1', tracking_number: '1Z1' }],
    line_items: [{ sku, quantity: 1 }],
  })
  assert.deepEqual([part.data.status, part.data.shipments.length], ['partially_fulfilled', 1])
  assert.equal(part.data.shipments[0].packages[0].package_id, 'BOX-1')
  assert.equal(part.data.shipments[0].packages[0].measurements.length, 25.4)
  const rest = await ok('POST', `/wms/orders/${id}/shipments`, shipment)
  assert.deepEqual([rest.data.status, rest.data.shipments.length], ['fulfilled', 2])
  const left = await inWarehouse('/v1/stock/K5001')
  assert.equal(level(left, data.warehouse_id).on_hand, level(stock, data.warehouse_id).on_hand - 3)
  assert.equal(level(left, data.warehouse_id).allocated, level(stock, data.warehouse_id).allocated - 3)
  const { items } = await inWarehouse('/v1/movements?modified_since=2026-11-21T00:00:00Z')
  const moved = items.filter((movement: any) => movement.cause?.id === id).map((movement: any) => movement.qty)
  assert.deepEqual(moved.sort(), [-1, -2])
  assert.ok((await eventTypes(id)).includes('order.shipment.created'))
  const over = await call('POST', `/wms/orders/${id}/shipments`, shipment)
  assert.deepEqual([over.status, over.body.origin], [409, 'integration'])
})

test('products and kits are created and changed, and a kit needs what it is made of', async () => {
  const product = await ok('POST', '/wms/products', { sku: 'T-1', name: 'Test', gtin: '4006381333931' })
  assert.deepEqual([product.data.sku, product.data.is_kit, product.data.gtin], ['T-1', false, '4006381333931'])
  const again = await call('POST', '/wms/products', { sku: 'T-1', name: 'Test' })
  assert.deepEqual([again.status, again.body.origin], [409, 'integration'])
  const renamed = await ok('PUT', `/wms/products/${product.id}`, { name: 'Renamed', sku: 'T-2' })
  assert.deepEqual([renamed.data.name, renamed.data.inventory_items[0].sku], ['Renamed', 'T-2'])
  const kit = await ok('POST', '/wms/kits', {
    sku: 'T-KIT',
    name: 'Kit',
    gtin: '4006381333932',
    measurements: { weight: 1 },
    inventory_items: [{ sku: 'T-2', unit_quantity: 2 }],
  })
  assert.deepEqual(
    [kit.data.is_kit, kit.data.inventory_items[0].unit_quantity, kit.unused_fields],
    [true, 2, ['measurements']],
  )
  const larger = await ok('PUT', `/wms/kits/${kit.id}`, { inventory_items: [{ sku: 'T-2', unit_quantity: 5 }] })
  assert.equal(larger.data.inventory_items[0].unit_quantity, 5)
  const none = await call('PUT', `/wms/kits/${kit.id}`, { inventory_items: [{ sku: 'nowhere', unit_quantity: 5 }] })
  assert.deepEqual([none.status, none.body.origin], [422, 'integration'])
  assert.equal((await call('PUT', `/wms/kits/${product.id}`, { name: 'no kit' })).status, 404)
})

test('an inbound shipment is expected, received in two parts, and then in stock', async () => {
  const sku = (await inWarehouse('/v1/stock/K5002')).sku
  const before = level(await inWarehouse('/v1/stock/K5002'), 'F1')
  const { id } = await ok('POST', '/wms/inbound-shipments', {
    supplier: 'A New Supplier',
    purchase_order_number: 'PO-T',
    expected_arrival_date: '2026-12-01T00:00:00Z',
    warehouse_id: 'F1',
    tracking_number: '1Z9',
    line_items: [{ sku, expected_quantity: 10 }],
  })
  const changed = await ok('PUT', `/wms/inbound-shipments/${id}`, { line_items: [{ sku, expected_quantity: 12 }] })
  assert.deepEqual([changed.data.status, changed.data.supplier], ['open', 'A New Supplier'])
  assert.equal(level(await inWarehouse('/v1/stock/K5002'), 'F1').expected, before.expected + 12)
  const receipt = { warehouse_location_id: 'F1-P-01', line_items: [{ sku, quantity: 5 }] }
  const part = await ok('PUT', `/wms/inbound-shipments/${id}/receive`, receipt)
  assert.deepEqual([part.data.status, part.data.line_items[0].received_quantity], ['receiving', 5])
  const rest = await ok('PUT', `/wms/inbound-shipments/${id}/receive`, {
    ...receipt,
    line_items: [{ sku, quantity: 7 }],
  })
  assert.deepEqual([rest.data.status, rest.data.receipts.length], ['received', 2])
  const after = level(await inWarehouse('/v1/stock/K5002'), 'F1')
  assert.deepEqual([after.on_hand, after.expected], [before.on_hand + 12, before.expected])
  assert.equal((await call('PUT', `/wms/inbound-shipments/${id}/receive`, receipt)).status, 409)
  assert.ok((await eventTypes(id)).includes('inbound-shipment.receipt.created'))
})

test('what arrives fills the announced lines of its goods one after the other, the last takes what is too many', async () => {
  const { sku } = await inWarehouse('/v1/stock/K5009')
  const before = level(await inWarehouse('/v1/stock/K5009'), 'F1').expected
  const announce = async () =>
    ok('POST', '/wms/inbound-shipments', {
      supplier: 'A New Supplier',
      purchase_order_number: 'PO-LINES',
      expected_arrival_date: '2026-12-01T00:00:00Z',
      warehouse_id: 'F1',
      tracking_number: '1Z9',
      line_items: [5, 3].map((expected_quantity) => ({ sku, expected_quantity })),
    })
  const receive = async (id: string, ...quantities: number[]) => {
    const line_items = quantities.map((quantity) => ({ sku, quantity }))
    const { data } = await ok('PUT', `/wms/inbound-shipments/${id}/receive`, {
      warehouse_location_id: 'F1-P-01',
      line_items,
    })
    const received = data.line_items.map((line: any) => line.received_quantity)
    return [data.status, ...received, level(await inWarehouse('/v1/stock/K5009'), 'F1').expected - before]
  }
  const whole = await announce()
  assert.deepEqual(await receive(whole.id, 8), ['received', 5, 3, 0])
  const parts = await announce()
  assert.deepEqual(await receive(parts.id, 2), ['receiving', 2, 0, 6])
  assert.deepEqual(await receive(parts.id, 4), ['receiving', 5, 1, 2])
  assert.deepEqual(await receive(parts.id, 1, 3), ['received', 5, 5, 0])
})

test('a return has its causes, comes in by simulation, and goes back on the shelf', async () => {
  const order = (await ok('GET', '/wms/orders?status=fulfilled&limit=1')).data[0]
  const { sku, inventory_item_id: item } = order.shipments[0].line_items[0]
  const created = await ok('POST', '/wms/returns', {
    return_number: 'RMA-T',
    order_id: order.id,
    warehouse_id: order.warehouse_id,
    tracking_number: '1Z7',
    tracking_url: 'https://track.example/1Z7',
    line_items: [{ sku, expected_quantity: 1, return_cause: { code: 'DEFECTIVE', return_reason: null } }],
  })
  assert.deepEqual(created.unused_fields, ['tracking_url'])
  assert.deepEqual(
    [created.data.status, created.data.order_id, created.data.line_items[0].return_reason],
    ['open', order.id, 'Defective'],
  )
  const changed = await ok('PUT', `/wms/returns/${created.id}`, { line_items: [{ sku, quantity: 2 }] })
  assert.deepEqual(
    [changed.data.line_items[0].expected_quantity, changed.data.line_items[0].return_reason],
    [2, 'Defective'],
  )
  const before = level(await inWarehouse(`/v1/stock/${item}`), order.warehouse_id)?.on_hand ?? 0
  const received = await ok('PUT', `/sandbox/simulate/returns/${created.id}/receive`)
  assert.deepEqual([received.data.status, received.data.line_items[0].restocked_quantity], ['received', 2])
  assert.equal(level(await inWarehouse(`/v1/stock/${item}`), order.warehouse_id).on_hand, before + 2)
  assert.equal((await call('PUT', `/wms/returns/${created.id}/cancel`)).status, 409)

  const other = await ok('POST', '/wms/returns', {
    return_number: 'RMA-U',
    order_id: order.id,
    line_items: [{ sku, expected_quantity: 1 }],
  })
  assert.equal((await ok('PUT', `/wms/returns/${other.id}/cancel`)).data.status, 'cancelled')
})

test('stock is adjusted up and down, never below what is promised', async () => {
  const { levels } = await inWarehouse('/v1/stock/K5003')
  const before = levels.reduce((sum: number, { on_hand }: { on_hand: number }) => sum + on_hand, 0)
  const up = await ok('PUT', '/wms/inventory/K5003/adjust', {
    quantity: 5,
    adjustment_type: 'increase',
    warehouse_id: 'F1',
    location_id: 'F1-H-01',
  })
  assert.equal(up.data.onhand, before + 5)
  const down = await ok('PUT', '/wms/inventory/K5003/adjust', {
    quantity: 5,
    adjustment_type: 'decrease',
    warehouse_id: 'F1',
  })
  assert.equal(down.data.onhand, before)
  assert.equal(
    down.data.onhand,
    down.data.locations.reduce((sum: number, { quantity }: { quantity: number }) => sum + quantity, 0),
  )
  const tooMuch = { quantity: 100_000, adjustment_type: 'decrease', warehouse_id: 'F1' }
  const refused = await call('PUT', '/wms/inventory/K5003/adjust', tooMuch)
  assert.deepEqual([refused.status, refused.body.origin], [409, 'integration'])
})

test('an order is fulfilled by simulation, in part and then whole', async () => {
  const { id } = await ok('POST', '/wms/orders', anOrder({ line_items: [{ product_id: 'A1003', quantity: 400_000 }] }))
  assert.equal((await ok('GET', `/wms/orders/${id}`)).data.status, 'backordered')
  const part = await ok('PUT', `/sandbox/simulate/orders/${id}/fulfill?partial=true`)
  assert.equal(part.data.status, 'partially_fulfilled')
  const whole = await ok('PUT', `/sandbox/simulate/orders/${id}/fulfill`)
  assert.equal(whole.data.status, 'fulfilled')
  assert.equal((await call('PUT', `/sandbox/simulate/orders/${id}/fulfill`)).status, 409)
  assert.deepEqual((await call('PUT', '/sandbox/simulate/orders/none/fulfill')).body.id, 'none')
})

test('labels are replaced without a word to the system, on every resource that has them', async () => {
  for (const path of ['orders', 'products', 'inventory', 'inbound-shipments', 'returns', 'warehouses']) {
    const record = (await ok('GET', `/wms/${path}?limit=1`)).data[0]
    const tagged = await ok('PUT', `/wms/${path}/${record.id}/service-tags`, { service_tags: ['x', { k: 'v' }] })
    assert.deepEqual(
      { ...tagged.data, service_updated_date: '' },
      { ...record, service_tags: ['x', { k: 'v' }], service_updated_date: '' },
    )
    const found = (await ok('GET', `/wms/${path}?service_tags[contains]=x`)).data
    assert.deepEqual(
      found.map(({ id }: { id: string }) => id),
      [record.id],
    )
    const none = await call('PUT', `/wms/${path}/${record.id}/service-tags`, { service_tags: null })
    assert.deepEqual([none.status, Object.keys(none.body.detail.json)], [422, ['service_tags']])
    const cleared = await ok('PUT', `/wms/${path}/${record.id}/service-tags`, { service_tags: [] })
    assert.deepEqual(cleared.data.service_tags, [])
    assert.equal((await call('PUT', `/wms/${path}/none/service-tags`, { service_tags: [] })).status, 404)
  }
  assert.equal((await call('PUT', '/wms/orders/none/service-tags', { service_tags: ['null'] })).status, 422)
})

test('of writes to one record at the same time, the list keeps what the warehouse keeps', async () => {
  const { id } = await ok('POST', '/wms/orders', anOrder())
  for (let round = 0; round < 5; round++) {
    const references = Array.from({ length: 12 }, (_, i) => `round ${round}, ${i}`)
    const written = await Promise.all(
      references.map((reference_id) => ok('PUT', `/wms/orders/${id}`, { reference_id })),
    )
    const kept = (await inWarehouse(`/v1/orders/${id}`)).reference
    assert.equal((await ok('GET', `/wms/orders/${id}`)).data.reference_id, kept)
    const last = written.toSorted((a, b) => (a.data.updated_date < b.data.updated_date ? -1 : 1)).at(-1)
    assert.equal(last.data.reference_id, kept)
  }
})

test('a record written and then crawled is there once and the same', async () => {
  const { id, data } = await ok('POST', '/wms/orders', anOrder({ service_tags: ['kept'] }))
  await ok('POST', '/connections/sync', { functions_to_sync: ['get_orders'] })
  await eventually(async () => {
    const { sync_schedules } = (await ok('GET', `/connections/${sandbox.id}`)).data[0]
    const { last_crawl_end } = sync_schedules.find((each: any) => each.function_name === 'get_orders')
    return Date.parse(last_crawl_end) > Date.parse(data.service_created_date)
  })
  assert.deepEqual((await ok('GET', `/wms/orders?order_number=${data.order_number}`)).data, [data])
  assert.deepEqual(await eventTypes(id), ['order.created'])
})

test('all faults of a body are told at once, and texts that say nothing are faults at any depth', async () => {
  const { status, body } = await call('POST', '/wms/returns', {
    return_number: null,
    line_items: [{ sku: 'NULL', expected_quantity: 0, return_cause: { code: 'NOWHERE' } }, {}],
    tracking_number: '',
    surprise: 1,
  })
  assert.equal(status, 422)
  assert.deepEqual(Object.keys(body.detail.json).sort(), [
    'line_items',
    'order_id',
    'return_number',
    'surprise',
    'tracking_number',
  ])
  assert.deepEqual(body.detail.json.surprise, ['Unknown field.'])
  const [line] = Object.values<any>(body.detail.json.line_items)
  assert.deepEqual(Object.keys(line).sort(), ['expected_quantity', 'return_cause', 'sku'])
  assert.match(line.return_cause.code[0], /^Must be one of: TOO_SMALL, /)
})

test('an unknown record is 404 with its id, a disabled function 403, and no id leads elsewhere', async () => {
  for (const id of ['none', '..%2F..', "'", '%F0%9F%93%A6', '']) {
    for (const path of [`/wms/orders/${id}/cancel`, `/sandbox/simulate/orders/${id}/fulfill`]) {
      const answer = await call('PUT', path)
      assert.deepEqual(
        [answer.status, answer.body.id, answer.body.origin],
        [404, decodeURIComponent(id), 'service'],
        path,
      )
    }
  }
  await ok('PATCH', '/schedules/disabled-functions', { disabled_functions: ['create_order'] })
  const refused = await call('POST', '/wms/orders', {})
  assert.equal(refused.status, 403)
  assert.deepEqual(refused.body, { error: 'create_order is disabled for this connection', origin: 'service' })
  await ok('PATCH', '/schedules/disabled-functions', { disabled_functions: [] })
  await eventually(async () => (await call('POST', '/wms/orders', {})).status !== 403)
})

test('a file is attached by form, or by its address', async () => {
  const { id } = await ok('POST', '/wms/orders', anOrder())
  const send = (fields: Record<string, string | Blob>) => {
    const form = new FormData()
    for (const [name, value] of Object.entries(fields)) {
      if (typeof value === 'string') form.append(name, value)
      else form.append(name, value, 'label.pdf')
    }
    const headers = { 'x-service-api-key': sandbox.crossdock.apiKey, 'x-service-access-token': sandbox.token }
    return fetch(`${sandbox.crossdock.url}/wms/orders/${id}/file`, { method: 'POST', body: form, headers })
  }
  const attached = await send({ file: new Blob(['%PDF-1.7 label']) })
  assert.deepEqual(await attached.json(), { data: 'success', id, unused_fields: [] })
  const linked = await send({ file_url: 'https://files.example/a.pdf', file_name: 'a.pdf' })
  assert.equal(linked.status, 200)
  assert.deepEqual((await inWarehouse(`/v1/orders/${id}`)).files, [
    { name: 'label.pdf', bytes: 14, address: null },
    { name: 'a.pdf', bytes: null, address: 'https://files.example/a.pdf' },
  ])
  assert.equal((await send({ file_name: 'nothing' })).status, 422)
  for (const file_url of [
    'label.pdf',
    'ftp://files.example/a.pdf',
    'javascript:alert(1)',
    'https://',
    'https://a b/',
  ]) {
    const refused = await send({ file_url })
    const { detail } = (await refused.json()) as { detail: { json: object } }
    assert.deepEqual([refused.status, Object.keys(detail.json)], [422, ['file_url']], file_url)
  }
  assert.equal((await send({ file: 'no file but text' })).status, 422)
  assert.equal((await send({ file: new Blob(['x'.repeat(21 * 1024 * 1024)]) })).status, 413)
  const json = await call('POST', `/wms/orders/${id}/file`, { file_url: 'https://files.example/a.pdf' })
  assert.deepEqual([json.status, json.body.error], [415, 'The request body must be multipart/form-data'])
  const answer = await sandbox.crossdock.call('POST', '/wms/orders', {
    token: sandbox.token,
    headers: { 'content-type': 'multipart/form-data; boundary=x' },
    body: '--x--',
  })
  assert.equal(answer.status, 415)
})

test('a form that cannot be read is told as such', async () => {
  const { id } = await ok('POST', '/wms/orders', anOrder())
  const part = '--x\r\ncontent-disposition: form-data; name="file"; filename="a.pdf"\r\n\r\n%PDF'
  const forms: Record<string, [type: string, body: string]> = {
    'without a boundary': ['multipart/form-data', `${part}\r\n--x--\r\n`],
    'with an empty boundary': ['multipart/form-data; boundary=', `${part}\r\n--x--\r\n`],
    'with a boundary too long': [`multipart/form-data; boundary=${'x'.repeat(300)}`, `${part}\r\n--x--\r\n`],
    'cut off in a file': ['multipart/form-data; boundary=x', part],
    'cut off in the head of a part': ['multipart/form-data; boundary=x', '--x\r\ncontent-disposition: form-'],
    'with nothing of a form': ['multipart/form-data; boundary=x', 'garbage'],
    'with a field nobody may have': [
      'multipart/form-data; boundary=x',
      '--x\r\ncontent-disposition: form-data; name="__proto__"\r\n\r\n1\r\n--x--\r\n',
    ],
  }
  for (const [what, [type, body]] of Object.entries(forms)) {
    const answer = await call('POST', `/wms/orders/${id}/file`, body, { 'content-type': type })
    assert.deepEqual([answer.status, answer.body], [400, { error: 'The form cannot be read', origin: 'service' }], what)
  }
  assert.equal((await inWarehouse(`/v1/orders/${id}`)).files, undefined)
})

test('the currency of an order is three capital letters', async () => {
  for (const invoice_currency_code of ['usd', 'US', 'EURO', '€']) {
    const { status, body } = await call('POST', '/wms/orders', anOrder({ invoice_currency_code }))
    assert.deepEqual([status, Object.keys(body.detail.json)], [422, ['invoice_currency_code']], invoice_currency_code)
  }
  const { data } = await ok('POST', '/wms/orders', anOrder({ invoice_currency_code: 'EUR' }))
  assert.equal(data.invoice_currency_code, 'EUR')
})

test('parameters of a passed request may be texts, numbers and switches', async () => {
  const pass = (params: object) => call('POST', '/wms/passthrough', { method: 'GET', path: '/v1/orders', params })
  const { status, body } = await pass({ limit: 2, modified_since: '2026-01-01T00:00:00Z', deep: true })
  assert.deepEqual([status, body.status_code, body.body.items?.length], [200, 200, 2])
  assert.equal((await pass({ limit: [2] })).status, 422)
  assert.equal((await pass({ limit: null })).status, 422)
})
