import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Connection, type Json, type Stage, startStage } from './connected.ts'
import { expectedInventory, expectedOrders, expectedProducts } from './expected.ts'
import { date, decimal } from './tryton-client.ts'
import { asOrder, asProduct, asStock, same, sorted } from './views.ts'

let stage: Stage
let connection: Connection

before(async () => {
  stage = await startStage()
  connection = await stage.install(stage.tryton.seeded.users.crossdock)
  await connection.call('PATCH', '/schedules/disabled-functions', { enabled_functions: ['get_inventory_ledger'] })
  await connection.firstCrawls()
})

after(() => stage?.stop())

const lists = {
  get_inbound_shipment_suppliers: '/wms/inbound-shipments/suppliers',
  get_inbound_shipments: '/wms/inbound-shipments',
  get_inventory: '/wms/inventory',
  get_inventory_ledger: '/wms/inventory/ledger',
  get_orders: '/wms/orders',
  get_products: '/wms/products',
  get_returns: '/wms/returns',
  get_shipping_methods: '/wms/shipping-methods',
  get_warehouse_customers: '/wms/warehouse-customers',
  get_warehouses: '/wms/warehouses',
}

test('after a quiet time a crawl of everything writes nothing', async () => {
  assert.deepEqual(await changedBy(() => connection.sync()), {})
})

test('what changed in Tryton appears after the next crawl, and nothing else is touched', async () => {
  const { admin, seeded } = stage.tryton
  const [assigned] = await admin.searchRead<Json>(
    'stock.shipment.out',
    [['state', '=', 'assigned']],
    ['outgoing_moves.product'],
    { limit: 1 },
  )
  const [drafted] = await admin.searchRead<Json>(
    'stock.shipment.out',
    [['state', '=', 'draft']],
    ['outgoing_moves', 'write_date'],
    { limit: 1 },
  )
  const corrected = seeded.catalogue.activeProductIds[300]!
  let created = 0
  const changed = await changedBy(async () => {
    for (const step of ['pick', 'pack', 'done']) await admin.button('stock.shipment.out', step, [assigned.id])
    await admin.write('stock.move', [drafted.outgoing_moves[0]], { quantity: 77 })
    const inventoryIds = await admin.create('stock.inventory', [
      {
        location: seeded.warehouses[0]!.binIds[0],
        company: seeded.company.id,
        lines: [['create', [{ product: corrected, quantity: 41 }]]],
      },
    ])
    await admin.button('stock.inventory', 'confirm', inventoryIds)
    const [template] = await admin.create('product.template', [
      {
        name: 'Novelty',
        code: 'NEW-1',
        type: 'goods',
        default_uom: seeded.catalogue.unitId,
        list_price: decimal('12.50'),
        cost_price_method: 'fixed',
        products: [['create', [{ cost_price: decimal('7.00') }]]],
      },
    ])
    const [product] = await admin.searchRead('product.product', [['template', '=', template]], [])
    created = product!.id
    await connection.sync()
  })

  const shipped = assigned['outgoing_moves.'].map((move: Json) => String(move.product))
  assert.deepEqual(changed.get_orders, sorted([String(assigned.id), String(drafted.id)]))
  assert.deepEqual(changed.get_products, [String(created)])
  assert.deepEqual(changed.get_inventory, sorted([...new Set([...shipped, String(corrected), String(created)])]))
  assert.deepEqual(Object.keys(changed).sort(), ['get_inventory', 'get_inventory_ledger', 'get_orders', 'get_products'])

  const { body: order } = await connection.call('GET', `/wms/orders/${assigned.id}`)
  assert.deepEqual([order.data.status, order.data.shipments.length], ['fulfilled', 1])
  const { body: edited } = await connection.call('GET', `/wms/orders/${drafted.id}`)
  assert.ok(edited.data.line_items.some((line: Json) => line.quantity === 77))
  const { body: product } = await connection.call('GET', `/wms/products/${created}`)
  assert.deepEqual([product.data.sku, product.data.unit_price], ['NEW-1', 12.5])
  await same(await connection.list('/wms/inventory'), await expectedInventory(admin), asStock)
  await same(await connection.list('/wms/orders'), await expectedOrders(admin), asOrder)
})

test('a changed price, an archived product and a renamed template appear', async () => {
  const { admin, seeded } = stage.tryton
  const [priced, archived, renamed] = seeded.catalogue.activeProductIds.slice(400, 403) as [number, number, number]
  const templateOf = async (id: number) =>
    (await admin.searchRead<Json>('product.product', [['id', '=', id]], ['template']))[0].template as number
  const changed = await changedBy(async () => {
    await admin.write('product.template', [await templateOf(priced)], { list_price: decimal('99.90') })
    await admin.write('product.product', [archived], { active: false })
    await admin.write('product.template', [await templateOf(renamed)], { name: 'Renamed' })
    await connection.sync('get_products')
  })
  assert.deepEqual(changed, { get_products: sorted([priced, archived, renamed].map(String)) })
  await same(await connection.list('/wms/products'), await expectedProducts(admin), asProduct)
})

test('a paused function does not move while the others do; unpaused, it catches up without a gap', async () => {
  const { admin } = stage.tryton
  const waiting = await admin.searchRead('stock.shipment.out', [['state', '=', 'waiting']], [], { limit: 2 })
  const [first, second] = waiting.map(({ id }) => id) as [number, number]
  const scheduleOf = async () =>
    (await connection.detail()).sync_schedules.find((each) => each.function_name === 'get_orders')!
  await connection.call('PATCH', '/schedules/get_orders/toggle', { paused: true })
  const paused = await scheduleOf()
  assert.equal(paused.sync_status, 'disabled')

  const meanwhile = await changedBy(async () => {
    await admin.button('stock.shipment.out', 'cancel', [first])
    const [party] = await admin.create('party.party', [{ name: 'Newcomer' }])
    assert.ok(party)
    await connection.sync('get_warehouse_customers', 'get_returns')
  })
  assert.deepEqual(Object.keys(meanwhile), ['get_warehouse_customers'])
  assert.deepEqual(await scheduleOf(), paused)

  const caughtUp = await changedBy(async () => {
    await connection.call('PATCH', '/schedules/get_orders/toggle', { paused: false })
    await admin.write('stock.shipment.out', [second], { planned_date: date('2026-12-24') })
    await connection.sync('get_orders')
  })
  assert.deepEqual(caughtUp, { get_orders: sorted([String(first), String(second)]) })
  await same(await connection.list('/wms/orders'), await expectedOrders(admin), asOrder)
})

/** The records of each list that are new or written again by what is done, by id. */
async function changedBy(act: () => Promise<unknown>): Promise<Record<string, string[]>> {
  const before = await state()
  await act()
  const changes = Object.entries(await state()).map(([name, records]) => {
    const ids = [...records].filter(([id, written]) => before[name]!.get(id) !== written).map(([id]) => id)
    const gone = [...before[name]!.keys()].filter((id) => !records.has(id))
    return [name, sorted([...ids, ...gone])] as const
  })
  return Object.fromEntries(changes.filter(([, ids]) => ids.length > 0))
}

async function state() {
  const found = await Promise.all(
    Object.entries(lists).map(async ([name, path]) => {
      const records = await connection.list(path)
      return [name, new Map(records.map((record) => [record.id, record.service_updated_date]))] as const
    }),
  )
  return Object.fromEntries(found) as Record<string, Map<string, string>>
}
