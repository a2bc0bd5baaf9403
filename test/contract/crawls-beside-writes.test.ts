import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { after, before, test } from 'node:test'
import { sql } from 'kysely'
import { startEmbeddedPostgres } from '../../server/src/db/embedded.ts'
import { lockWaiters } from '../../server/src/db/lock-waiters.fixture.ts'
import { type Database, openDatabase } from '../../server/src/db/open.ts'
import { temporaryFolder } from '../../server/src/db/temporary-folder.fixture.ts'
import { eventually } from '../../server/src/eventually.fixture.ts'
import type { Integration, ReadAction, WriteAction } from '../../server/src/integrations/define.ts'
import { sandbox } from '../../server/src/integrations/sandbox/index.ts'
import { anOrder } from '../harness/an-order.ts'
import { type Answer, startTestCrossdock, type TestCrossdock } from '../harness/crossdock.ts'
import { startStubWarehouse } from '../writes/stub-warehouse.ts'

let stub: Awaited<ReturnType<typeof startStubWarehouse>>
let database: Database
let crossdock: TestCrossdock
let connection: { id: string; token: string }
/** Between the moment a page of orders is made and the moment it is answered. */
let onTheWay: () => Promise<void> | void = () => {}
/** Between the moment the system has taken an order and the moment it answers. */
let onceTaken: () => Promise<void> | void = () => {}
const stops: (() => Promise<unknown>)[] = []

before(async () => {
  const dataDir = await temporaryFolder('beside')
  stops.unshift(() => rm(dataDir, { recursive: true, force: true }))
  const postgres = await startEmbeddedPostgres({ dataDir })
  stops.unshift(() => postgres.stop())
  database = openDatabase(postgres.url, 2)
  stops.unshift(() => database.close())
  stub = await startStubWarehouse()
  stops.unshift(() => stub.stop())
  crossdock = await startTestCrossdock(
    { databaseUrl: postgres.url },
    { integrations: [slowlyRead(sandbox(stub.origin))] },
  )
  stops.unshift(() => crossdock.stop())
  connection = await install()
})
after(async () => {
  for (const stop of stops) await stop()
})

/** A system whose pages may be long on their way; none of its changes shows in a date. */
function slowlyRead(integration: Integration): Integration {
  const get_orders: ReadAction = {
    ...(integration.actions.get_orders as ReadAction),
    async page() {
      const items = structuredClone(stub.orders)
      await onTheWay()
      return { items, next: null }
    },
  }
  const taking = integration.actions.create_order as WriteAction
  const create_order: WriteAction = {
    ...taking,
    async perform(client, request) {
      const order = await taking.perform(client, request)
      await onceTaken()
      return order
    },
  }
  const cancel_order: WriteAction = {
    ...(integration.actions.cancel_order as WriteAction),
    perform: async (_client, { id }) => inSystem(id, 'CANCELLED'),
  }
  const actions = { ...integration.actions, get_orders, create_order, cancel_order }
  return { ...integration, name: 'slow', displayName: 'Slow', actions }
}

function inSystem(id: string, state: string, modified?: Date) {
  const order = stub.orders.find((each) => each.id === id)!
  order.state = state as typeof order.state
  if (modified) order.modified = modified.toISOString()
  return structuredClone(order)
}

async function install() {
  const { link_token } = (await crossdock.call('POST', '/link/token')).body
  const { auth_code } = (
    await crossdock.call('POST', '/link/install', {
      headers: { 'x-service-link-token': link_token },
      body: { integration_name: 'slow', credentials: { warehouse_key: 'wh_any' } },
    })
  ).body
  const { connection_id, access_token } = (await crossdock.call('POST', '/link/exchange', { body: { auth_code } })).body
  const installed = { id: connection_id, token: access_token }
  await eventually(async () => (await lastCrawl(installed.id)) !== null)
  return installed
}

async function lastCrawl(id: string): Promise<string | null> {
  const { data } = (await crossdock.call('GET', `/connections/${id}`)).body
  return data[0].sync_schedules.find((each: any) => each.function_name === 'get_orders').last_crawl_end
}

const call = (method: string, path: string, body?: unknown): Promise<Answer> =>
  crossdock.call(method, path, { token: connection.token, body })

const create = (order_number: string, service_tags: string[] = []) =>
  call('POST', '/wms/orders', anOrder({ order_number, service_tags }))

/** Orders a crawl; resolves when it has ended. */
async function crawl() {
  const before = await lastCrawl(connection.id)
  await call('POST', '/connections/sync', { functions_to_sync: ['get_orders'] })
  await eventually(async () => (await lastCrawl(connection.id)) !== before)
}

const statusOf = async (id: string) => (await call('GET', `/wms/orders/${id}`)).body.data.raw_status
const eventTypes = async (id: string) =>
  (await crossdock.call('GET', `/webhook-events?resource_id=${id}`)).body.data
    .map((event: { event_type: string }) => event.event_type)
    .sort()

test('what was written stays when a page that is older comes in after it, and later changes are taken', async () => {
  const { id } = (await create('cancelled meanwhile')).body
  inSystem(id, 'PICKING')
  await crawl()
  assert.equal(await statusOf(id), 'PICKING')

  onTheWay = async () => {
    assert.equal((await call('PUT', `/wms/orders/${id}/cancel`)).status, 200)
  }
  await crawl()
  assert.equal(await statusOf(id), 'CANCELLED')
  assert.deepEqual(await eventTypes(id), ['order.created', 'order.updated', 'order.updated'])

  onTheWay = () => {}
  inSystem(id, 'HELD')
  await crawl()
  assert.equal(await statusOf(id), 'HELD')
})

test('a write that finds its outcome kept already stays as well', async () => {
  const { id } = (await create('cancelled before')).body
  inSystem(id, 'CANCELLED')
  await crawl()
  inSystem(id, 'HELD')
  onTheWay = async () => {
    assert.equal((await call('PUT', `/wms/orders/${id}/cancel`)).status, 200)
  }
  await crawl()
  onTheWay = () => {}
  assert.equal(await statusOf(id), 'CANCELLED')
})

test('labels given while a page is on its way stay, and what the page brings is taken', async () => {
  const { id } = (await create('labelled meanwhile')).body
  inSystem(id, 'PICKING')
  onTheWay = async () => {
    assert.equal((await call('PUT', `/wms/orders/${id}/service-tags`, { service_tags: ['new'] })).status, 200)
  }
  await crawl()
  onTheWay = () => {}
  const { raw_status, service_tags } = (await call('GET', `/wms/orders/${id}`)).body.data
  assert.deepEqual({ raw_status, service_tags }, { raw_status: 'PICKING', service_tags: ['new'] })
})

test('a create that a crawl has overtaken leaves the newer version and gives it its labels', async () => {
  onceTaken = async () => {
    inSystem(stub.orders.at(-1)!.id, 'PICKING', new Date())
    await crawl()
  }
  const { id } = (await create('overtaken', ['vip'])).body
  onceTaken = () => {}
  const { raw_status, service_tags } = (await call('GET', `/wms/orders/${id}`)).body.data
  assert.deepEqual({ raw_status, service_tags }, { raw_status: 'PICKING', service_tags: ['vip'] })
  const { data } = (await call('GET', '/wms/orders?service_tags[contains]=vip')).body
  assert.deepEqual(
    data.map((order: { id: string }) => order.id),
    [id],
  )
  assert.deepEqual(await eventTypes(id), ['order.created', 'order.updated'])
})

test('an order that is created and crawled at once keeps its labels and is told as created once', async () => {
  const released = Promise.withResolvers<void>()
  const locked = Promise.withResolvers<void>()
  // a create has saved its record when it comes to tell its event, and is not committed yet
  const lock = database.db.transaction().execute(async (trx) => {
    await sql`lock table webhook_events in share mode`.execute(trx)
    locked.resolve()
    await released.promise
  })
  await locked.promise
  const creates = ['as it was', 'changed'].map((number) => create(number, ['vip']))
  await lockWaiters(database.db, creates.length, 'relation')
  const changed = stub.orders.find(({ number }) => number === 'changed')!
  inSystem(changed.id, 'PICKING')
  const crawled = crawl()
  await lockWaiters(database.db, 1, 'transactionid')
  released.resolve()
  await Promise.all([lock, crawled])

  for (const answer of creates) {
    const { id, data } = (await answer).body
    const kept = (await call('GET', `/wms/orders/${id}`)).body.data
    const found = `service_tags[contains]=vip&service_created_date=${data.service_created_date}`
    const { data: listed } = (await call('GET', `/wms/orders?order_number=${data.order_number}&${found}`)).body
    assert.deepEqual(listed, [kept])
    assert.deepEqual([kept.service_tags, kept.service_created_date], [['vip'], data.service_created_date])
    if (id === changed.id) {
      assert.equal(kept.raw_status, 'PICKING')
      assert.deepEqual(await eventTypes(id), ['order.created', 'order.updated'])
    } else {
      assert.deepEqual(kept, data)
      assert.deepEqual(await eventTypes(id), ['order.created'])
    }
  }
})

test('a change is later than the one before it, also when it waited to be saved', async () => {
  const { id } = (await create('waiting')).body
  inSystem(id, 'PICKING')
  const locked = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  let lock: Promise<void> | undefined
  onTheWay = () => {
    lock ??= database.db.transaction().execute(async (trx) => {
      await sql`select from schedules where connection_id = ${connection.id} for update`.execute(trx)
      locked.resolve()
      await released.promise
    })
    return locked.promise
  }
  const crawled = crawl()
  await locked.promise
  await lockWaiters(database.db, 1, 'transactionid')
  await call('PUT', `/wms/orders/${id}/service-tags`, { service_tags: ['meanwhile'] })
  const tagged = (await call('GET', `/wms/orders/${id}`)).body.data
  released.resolve()
  await Promise.all([lock, crawled])
  onTheWay = () => {}
  const { raw_status, service_updated_date } = (await call('GET', `/wms/orders/${id}`)).body.data
  assert.equal(raw_status, 'PICKING')
  assert.ok(service_updated_date > tagged.service_updated_date)
})
