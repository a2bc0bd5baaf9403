import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { readActions } from '../../../server/src/integrations/define.ts'
import { tryton } from '../../../server/src/integrations/tryton/index.ts'
import { untrueFields } from '../../../server/src/integrations/untrue-fields.fixture.ts'
import { type Connection, type Json, type Stage, startStage } from './connected.ts'
import { expectedArrivals, expectedInventory, expectedOrders, expectedProducts } from './expected.ts'
import { asArrival, asOrder, asProduct, asStock, figures, same, sorted, total } from './views.ts'

/** What Tryton can tell and the seeded data has none of. */
const seededWithout: Record<string, string[]> = {
  inbound_shipments: ['address2', 'address3', 'state', 'postal_code'].map((name) => `ship_from_address.${name}`),
  orders: [
    ...['ship_to_address', 'shipments.ship_to_address'].flatMap((each) => [`${each}.address2`, `${each}.address3`]),
    ...['address1', 'address2', 'address3', 'city', 'state', 'postal_code', 'country'].map(
      (name) => `shipments.ship_from_address.${name}`,
    ),
    'shipments.packages.tracking_url',
  ],
  products: [
    'supplier',
    ...['supplier_id', 'supplier_name'].map((name) => `supplier_object.${name}`),
    ...['supplier_id', 'supplier_name', 'external_id'].map((name) => `supplier_products.${name}`),
  ],
  returns: ['order_id'],
  warehouses: ['address1', 'address2', 'address3', 'city', 'state', 'postal_code', 'country'].map(
    (name) => `address.${name}`,
  ),
}

let stage: Stage
let connection: Connection

before(async () => {
  stage = await startStage()
  connection = await stage.install(stage.tryton.seeded.users.crossdock)
  await connection.call('PATCH', '/schedules/disabled-functions', { enabled_functions: ['get_inventory_ledger'] })
  await connection.firstCrawls()
})

after(() => stage?.stop())

test('an installed connection knows its account, has no errors and has synced everything', async (t) => {
  const detail = await connection.detail()
  assert.deepEqual(detail.me, { account_id: '1', account_name: 'Example Fulfilment' })
  assert.deepEqual(detail.errors, [])
  assert.deepEqual(detail.available_actions.filter((name) => name.startsWith('get_')).sort(), [
    'get_inbound_shipment_suppliers',
    'get_inbound_shipments',
    'get_inventory',
    'get_inventory_ledger',
    'get_orders',
    'get_products',
    'get_returns',
    'get_shipping_methods',
    'get_warehouse_customers',
    'get_warehouse_locations',
    'get_warehouses',
  ])
  for (const schedule of detail.sync_schedules) {
    assert.notEqual(schedule.last_crawl_end, null, schedule.function_name)
    const tookMs = Date.parse(schedule.last_crawl_end!) - Date.parse(schedule.last_crawl_start!)
    t.diagnostic(`first crawl of ${schedule.function_name}: ${tookMs} ms`)
  }
})

test('products equal those of Tryton, archived ones included', async () => {
  await same(await connection.list('/wms/products'), await expectedProducts(stage.tryton.admin), asProduct)
})

test('the fields told to be filled are filled in some record, the others in none', async () => {
  for (const action of Object.values(readActions(tryton))) {
    const { path, name } = action.resource
    const paths = stage.tryton.seeded.warehouses.map(({ id }) => path.replace(':warehouse_id', String(id)))
    const records = await Promise.all([...new Set(paths)].map((each) => connection.list(each)))
    const missing = seededWithout[name] ?? []
    assert.deepEqual(untrueFields(action, records.flat()), { neverFilled: missing, filledAllTheSame: [] }, name)
  }
})

test('stock equals that of Tryton in every warehouse, location and lot', async () => {
  const { admin, seeded } = stage.tryton
  const stock = await connection.list('/wms/inventory')
  await same(stock, await expectedInventory(admin), asStock)
  for (const warehouse of seeded.warehouses) {
    const asked = await admin.searchRead<{ id: number; quantity: number }>(
      'product.product',
      [['type', '=', 'goods']],
      ['quantity'],
      { context: { locations: [warehouse.id], with_childs: true } },
    )
    const told = new Map(stock.map((each) => [each.id, each.inventory_by_warehouse_id[warehouse.id].onhand]))
    for (const { id, quantity } of asked) assert.equal(told.get(String(id)), quantity, `product ${id}`)
  }
  for (const { id, onhand, committed, unfulfillable, fulfillable, lots } of stock) {
    assert.equal(onhand, committed + unfulfillable + fulfillable, `product ${id}`)
    assert.ok(lots.reduce((sum: number, lot: { onhand: number }) => sum + lot.onhand, 0) <= onhand, `product ${id}`)
  }
  for (const figure of figures)
    assert.ok(
      stock.some((record) => record[figure] > 0),
      figure,
    )
})

test('orders equal the customer shipments of Tryton in every state', async () => {
  await same(await connection.list('/wms/orders'), await expectedOrders(stage.tryton.admin), asOrder)
})

test('a shipment that is done tells its packages and what is in them', async () => {
  const [box] = await stage.tryton.admin.searchRead<Json>(
    'stock.package',
    [],
    ['code', 'shipment', 'shipping_reference', 'moves.product', 'moves.quantity', 'moves.lot.number'],
    { limit: 1 },
  )
  const { body } = await connection.call('GET', `/wms/orders/${box.shipment.split(',')[1]}`)
  const [shipment] = body.data.shipments
  assert.ok(shipment.shipment_id.length >= 6)
  const [told] = shipment.packages
  assert.deepEqual([told.package_name, told.tracking_number], ['Box', box.shipping_reference])
  assert.deepEqual(
    sorted(told.line_items.map((line: Json) => [line.inventory_item_id, line.quantity, line.lot_id])),
    sorted(box['moves.'].map((move: Json) => [String(move.product), move.quantity, move['lot.']?.number ?? null])),
  )
})

test('inbound shipments equal the supplier shipments of Tryton', async () => {
  await same(
    await connection.list('/wms/inbound-shipments'),
    await expectedArrivals(stage.tryton.admin, 'stock.shipment.in'),
    (shipment) => {
      const { received_quantity: count } = total(shipment.line_items)
      assert.equal(shipment.receipts.length, count > 0 ? 1 : 0)
      if (count > 0) assert.equal(total(shipment.receipts[0].line_items).quantity, count)
      return {
        id: shipment.id,
        reference: shipment.purchase_order_number,
        status: shipment.status,
        raw_status: shipment.raw_status,
        warehouse_id: shipment.warehouse_id,
        partner: shipment.supplier_object.supplier_id,
        line_items: shipment.line_items.map(asArrival),
      }
    },
  )
})

test('returns equal those of Tryton', async () => {
  await same(
    await connection.list('/wms/returns'),
    await expectedArrivals(stage.tryton.admin, 'stock.shipment.out.return'),
    (shipment) => ({
      id: shipment.id,
      reference: shipment.additional_fields.return_number,
      status: shipment.status,
      raw_status: shipment.raw_status,
      warehouse_id: shipment.line_items[0].warehouse_id,
      partner: shipment.warehouse_customer_id,
      line_items: shipment.line_items.map(asArrival),
    }),
  )
})

test('warehouses, their locations, parties, carriers and suppliers equal those of Tryton', async () => {
  const { admin, seeded } = stage.tryton
  const byId = (rows: Json[], value: (row: Json) => unknown) => new Map(rows.map((row) => [String(row.id), value(row)]))
  const warehouses = await admin.searchRead('stock.location', [['type', '=', 'warehouse']], ['name', 'code'])
  assert.deepEqual(
    byId(await connection.list('/wms/warehouses'), ({ name, code }) => [name, code]),
    byId(warehouses, ({ name, code }) => [name, code]),
  )
  for (const { id } of warehouses) {
    const places = await admin.searchRead<Json>(
      'stock.location',
      [['type', 'in', ['storage', 'view']]],
      ['name', 'warehouse'],
    )
    const inside = places.filter(({ warehouse }) => warehouse === id)
    assert.ok(inside.length >= seeded.warehouses[0]!.binIds.length)
    assert.deepEqual(
      byId(sorted(await connection.list(`/wms/warehouses/${id}/locations`)), ({ name }) => name),
      byId(sorted(inside), ({ name }) => name),
    )
  }
  assert.deepEqual(
    byId(await connection.list('/wms/warehouse-customers'), ({ name, email }) => [name, email]),
    byId(await admin.searchRead('party.party', [], ['name', 'email']), ({ name, email }) => [name, email || null]),
  )
  assert.deepEqual(
    byId(await connection.list('/wms/shipping-methods'), ({ name, carrier_name }) => [name, carrier_name]),
    byId(await admin.searchRead('carrier', [], ['party.name', 'carrier_product.name']), (carrier) => [
      carrier['carrier_product.'].name,
      carrier['party.'].name,
    ]),
  )
  assert.deepEqual(
    sorted((await connection.list('/wms/inbound-shipments/suppliers')).map(({ id }) => id)),
    sorted(seeded.parties.suppliers.map(({ id }) => String(id))),
  )
})

test('the entries of the ledger add up to the stock on hand', async () => {
  const sums = new Map<string, number>()
  for (const { inventory_item_id, quantity } of await connection.list('/wms/inventory/ledger')) {
    sums.set(inventory_item_id, (sums.get(inventory_item_id) ?? 0) + quantity)
  }
  for (const { id, onhand } of await connection.list('/wms/inventory')) assert.equal(sums.get(id) ?? 0, onhand, id)
})
