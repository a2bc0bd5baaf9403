import assert from 'node:assert/strict'
import { createHash, randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { after, beforeEach, test } from 'node:test'
import { startEmbeddedPostgres } from '../../db/embedded.ts'
import { migrate } from '../../db/migrate.ts'
import { openDatabase } from '../../db/open.ts'
import { temporaryFolder } from '../../db/temporary-folder.fixture.ts'
import { type Cursor, type Page, readAction } from '../../integrations/define.ts'
import { IntegrationError } from '../../integrations/fault.ts'
import { createHttp } from '../../integrations/http-client.ts'
import type { Order } from '../../integrations/sandbox/documents.ts'
import { sandbox } from '../../integrations/sandbox/index.ts'
import { toOrder } from '../../integrations/sandbox/orders.ts'
import { completer } from '../../resources/complete.ts'
import { resources } from '../../resources/index.ts'
import { orders } from '../../resources/wms/orders.ts'
import { generate } from './generate.ts'
import { startWarehouse } from './server.ts'
import { findDocument, readFaults, replaceFaults, resetWarehouse } from './store.ts'

const undo: (() => unknown)[] = []
after(async () => {
  for (const step of undo.reverse()) await step()
})

const dataDir = await temporaryFolder('warehouse')
undo.push(() => rm(dataDir, { recursive: true }))
const postgres = await startEmbeddedPostgres({ dataDir })
undo.push(postgres.stop)
const { db, close } = openDatabase(postgres.url, 8)
undo.push(close)
await migrate(db, resources)
const first = await startWarehouse(db)
undo.push(first.stop)
const second = await startWarehouse(db)
undo.push(second.stop)

const now = new Date('2026-11-20T08:15:30.123Z')
const seed = 'served'
const year = generate(seed, now)
let id: string
let key: string

beforeEach(async () => {
  id = randomUUID()
  key = `key-${id}`
  await resetWarehouse(db, { id, keyHash: hash(key), seed, now })
})

const hash = (text: string) => createHash('sha256').update(text).digest()

async function ask(path: string, { origin = first.origin, headers = { 'x-warehouse-key': key } } = {}) {
  const answer = await fetch(origin + path, { headers })
  return { status: answer.status, headers: answer.headers, body: (await answer.json()) as any }
}

/** Sends a request that changes the warehouse. */
async function send(method: 'POST' | 'PUT', path: string, body: object, origin = first.origin) {
  const headers = { 'x-warehouse-key': key, 'content-type': 'application/json' }
  const answer = await fetch(origin + path, { method, headers, body: JSON.stringify(body) })
  return { status: answer.status, body: (await answer.json()) as any }
}

/** Sends several requests at once, to either listener in turn. */
const sendAtOnce = (method: 'POST' | 'PUT', path: string, bodies: object[]) =>
  Promise.all(bodies.map((body, n) => send(method, path, body, n % 2 ? first.origin : second.origin)))

const tenTimes = (body: object) => Array.from({ length: 10 }, () => body)

async function readAll(path: string) {
  const items: { id: string; modified: string }[] = []
  for (let after = ''; ; ) {
    const { body } = await ask(`${path}${after && `&after=${after}`}`)
    items.push(...body.items)
    if (body.next === null) return items
    after = body.next
  }
}

test('pages hold every document once, in the order of change', async () => {
  const found = await readAll('/v1/orders?limit=100')
  const expected = year.orders.toSorted((a, b) =>
    a.modified === b.modified ? (a.id < b.id ? -1 : 1) : a.modified < b.modified ? -1 : 1,
  )
  assert.deepEqual(found, expected)
})

test('modified_since gives what changed at or after an instant', async () => {
  const all = await readAll('/v1/asns?limit=250')
  const since = all[40]!.modified
  const found = await readAll(`/v1/asns?modified_since=${since}`)
  assert.deepEqual(
    found,
    all.filter(({ modified }) => modified >= since),
  )
})

test('stock is offered only whole, and what is no page is refused', async () => {
  assert.equal((await readAll('/v1/stock?limit=50')).length, 72)
  assert.equal((await ask('/v1/stock?modified_since=2026-01-01T00:00:00Z')).status, 400)
  for (const query of ['modified_since=today', 'after=x', 'limit=0', 'limit=251', 'limit=x']) {
    assert.equal((await ask(`/v1/orders?${query}`)).status, 400, query)
  }
  assert.equal((await ask('/v1/unicorns')).status, 404)
  assert.equal((await ask('/v1/orders/O1')).status, 404)
  assert.equal((await ask('/v1/orders/O100001')).body.id, 'O100001')
})

test('only its key opens a warehouse, and a new key closes it to the old one', async () => {
  assert.equal((await ask('/v1/account', { headers: { 'x-warehouse-key': 'wrong' } })).status, 401)
  assert.deepEqual((await ask('/v1/account')).body, { account: id, title: 'Sandbox Warehouse' })
  await resetWarehouse(db, { id, keyHash: hash('another'), seed, now })
  assert.equal((await ask('/v1/account')).status, 401)
})

test('a reset forgets changes and faults', async () => {
  assert.equal((await send('PUT', '/v1/orders/O100001', { reference: 'changed' })).status, 200)
  await replaceFaults(db, id, [{ function_name: 'get_orders', status_code: 500 }])
  await resetWarehouse(db, { id, keyHash: hash(key), seed, now })
  assert.deepEqual(await readFaults(db, id), [])
  assert.deepEqual(
    await findDocument(db, id, 'orders', 'O100001'),
    year.orders.find((order) => order.id === 'O100001'),
  )
})

test('a changed document is the newest one, and changes at the same time all count', async () => {
  const before = year.stock[0]!
  const facility = before.levels[0]!.facility
  const correction = { qty: 1, direction: 'up', facility }
  const onHand = (levels: typeof before.levels) => levels.find((level) => level.facility === facility)!.on_hand
  const changes = await sendAtOnce('POST', `/v1/stock/${before.id}/corrections`, tenTimes(correction))
  assert.deepEqual(new Set(changes.map(({ status }) => status)), new Set([200]))
  const newest = (await readAll('/v1/stock?limit=250')).at(-1) as typeof before
  assert.equal(newest.id, before.id)
  assert.equal(onHand(newest.levels), onHand(before.levels) + 10)
  assert.ok(newest.modified > before.modified)
})

test('an added document is listed with the instant it was added', async () => {
  const { body: added } = await send('POST', '/v1/articles', { sku: 'NEW-1', title: 'New' })
  assert.equal(added.created, added.modified)
  assert.deepEqual(await readAll(`/v1/articles?modified_since=${added.created}`), [added])
})

test('what several requests at once would each add is there once', async () => {
  // of other goods each, since requests for the same goods wait for one another
  const asns = year.stock.slice(0, 10).map(({ sku }, n) => ({
    vendor: 'Newcomer',
    po_number: `PO-${n}`,
    eta: now.toISOString(),
    facility: year.facilities[0]!.id,
    lines: [{ sku, qty: 1 }],
  }))
  const announced = await sendAtOnce('POST', '/v1/asns', asns)
  assert.deepEqual(new Set(announced.map(({ status }) => status)), new Set([200]))
  const vendors = (await readAll('/v1/vendors?limit=250')) as { id: string; modified: string; title?: string }[]
  const made = vendors.filter(({ title }) => title === 'Newcomer').map((vendor) => vendor.id)
  assert.equal(made.length, 1)
  assert.deepEqual(new Set(announced.map(({ body }) => body.vendor.id)), new Set(made))

  const listed = await sendAtOnce('POST', '/v1/articles', tenTimes({ sku: 'ONCE-1', title: 'Once' }))
  assert.deepEqual(listed.map(({ status }) => status).sort(), [200, ...Array.from({ length: 9 }, () => 409)])
})

test('a fault hits the requests of its function at every listener, as many times as it says', async () => {
  await replaceFaults(db, id, [
    { function_name: 'get_orders', status_code: 503, error_message: 'Down for maintenance', times: 3 },
    { function_name: 'get_returns', status_code: 401 },
  ])
  const answers = await Promise.all(
    [1, 2, 3, 4, 5, 6].map((n) => ask('/v1/orders?limit=1', { origin: n % 2 ? first.origin : second.origin })),
  )
  const failed = answers.filter(({ status }) => status === 503)
  assert.equal(failed.length, 3)
  assert.deepEqual(failed[0]!.body, { message: 'Down for maintenance' })
  assert.deepEqual(await readFaults(db, id), [{ function_name: 'get_returns', status_code: 401 }])
  assert.deepEqual(
    [(await ask('/v1/rmas')).status, (await ask('/v1/rmas')).status, (await ask('/v1/asns')).status],
    [401, 401, 200],
  )
})

test('a warehouse takes so many requests a second and then asks to wait', async (t) => {
  const slow = await startWarehouse(db, { requestsPerSecond: 3 })
  t.after(slow.stop)
  const answers = await Promise.all(Array.from({ length: 20 }, () => ask('/v1/account', slow)))
  const refused = answers.filter(({ status }) => status === 429)
  assert.ok(refused.length >= 1 && refused.length <= 17)
  assert.equal(refused[0]!.headers.get('retry-after'), '1')
})

test('the integration reads the warehouse like a system outside', async () => {
  const { integration, http, client } = await connect()
  assert.deepEqual(await integration.account(client), { account_id: id, account_name: 'Sandbox Warehouse' })

  const since = new Date(Date.parse(year.orders.at(-50)!.modified) + 1)
  const found = (await crawl(since)).map((raw) => completer(orders)(toOrder(raw)))
  const expected = year.orders.filter(({ modified }) => Date.parse(modified) >= since.getTime())
  assert.deepEqual(new Set(found.map((order) => order.id)), new Set(expected.map((order) => order.id)))
  assert.equal(found.length, expected.length)

  const stranger = await integration.connect({ warehouse_key: 'wrong' }, http)
  await assert.rejects(
    integration.account(stranger),
    (error) => error instanceof IntegrationError && error.fault === 'credentials',
  )
})

async function connect() {
  const http = createHttp({ allowPrivateNetwork: false, trustedOrigins: [first.origin] })
  const integration = sandbox(first.origin)
  return { integration, http, client: await integration.connect({ warehouse_key: key }, http) }
}

/** The orders that the integration finds changed since an instant. */
async function crawl(since: Date): Promise<Order[]> {
  const { integration, client } = await connect()
  const found: Order[] = []
  let cursor: Cursor = null
  do {
    const page: Page<unknown> = await readAction(integration, 'get_orders').page(client, { since, until: now, cursor })
    found.push(...(page.items as Order[]))
    cursor = page.next
  } while (cursor !== null)
  return found
}
