import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { readActions, type WriteAction, type WriteRequest } from '../../server/src/integrations/define.ts'
import type { WarehouseClient } from '../../server/src/integrations/sandbox/client.ts'
import { sandbox } from '../../server/src/integrations/sandbox/index.ts'
import { anOrder } from '../harness/an-order.ts'
import { startTestCrossdock, syncedSandbox, type TestCrossdock } from '../harness/crossdock.ts'
import { type Manner, startStubWarehouse } from './stub-warehouse.ts'

let crossdock: TestCrossdock
let stub: Awaited<ReturnType<typeof startStubWarehouse>>
/** Access token of a connection to the stub. */
let token: string

before(async () => {
  stub = await startStubWarehouse()
  const shaky = { ...sandbox(stub.origin), name: 'shaky', displayName: 'Shaky' }
  const mute = { ...shaky, name: 'mute', displayName: 'Mute System', actions: readActions(shaky) }
  const { find: _, ...create_order } = shaky.actions.create_order as WriteAction
  const creating = (name: string, action: object) =>
    ({ ...shaky, name, displayName: name, actions: { ...shaky.actions, create_order: action } }) as typeof shaky
  const blind = creating('blind', create_order)
  const createOrder = shaky.actions.create_order as WriteAction<WarehouseClient>
  const asksFirst = creating('asks-first', {
    ...createOrder,
    async perform(client: WarehouseClient, request: WriteRequest) {
      await client.list('facilities')
      return createOrder.perform(client, request)
    },
  })
  const asksAfterwards = creating('asks-afterwards', {
    ...createOrder,
    async perform(client: WarehouseClient, request: WriteRequest) {
      const order = await createOrder.perform(client, request)
      await client.list('facilities')
      return order
    },
  })
  const tireless = creating('tireless', { ...create_order, repeatable: true })
  crossdock = await startTestCrossdock({}, { integrations: [shaky, mute, blind, tireless, asksFirst, asksAfterwards] })
  token = await install('shaky')
})
after(async () => {
  await crossdock.stop()
  await stub.stop()
})

/** @returns the access token of a new connection */
async function install(integration_name: string): Promise<string> {
  const { link_token } = (await crossdock.call('POST', '/link/token')).body
  const installed = await crossdock.call('POST', '/link/install', {
    headers: { 'x-service-link-token': link_token },
    body: { integration_name, credentials: { warehouse_key: 'wh_any' } },
  })
  assert.equal(installed.status, 200, JSON.stringify(installed.body))
  const { auth_code } = installed.body
  return (await crossdock.call('POST', '/link/exchange', { body: { auth_code } })).body.access_token
}

const order = (order_number: string) => anOrder({ order_number })
const create = async (number: string, headers: Record<string, string> = {}, by = token) => {
  const begun = performance.now()
  const answer = await crossdock.call('POST', '/wms/orders', { token: by, body: order(number), headers })
  return { ...answer, tookMs: performance.now() - begun }
}
const taken = (number: string) => stub.orders.filter((each) => each.number === number).length
const kept = async (id: string) => (await crossdock.call('GET', `/wms/orders/${id}`, { token })).status

const failures: [manner: Manner, status: number, error: RegExp][] = [
  ['cut off', 502, /connection was (reset|closed)/],
  ['hang up', 502, /connection was (reset|closed)/],
  ['broken json', 502, /broken JSON/],
  ['html', 502, /Shaky answered with something that cannot be understood/],
  ['other json', 502, /Shaky answered with something that cannot be understood/],
  ['endless redirect', 502, /redirect/],
  [{ status: 500, message: 'Out of paper' }, 502, /Out of paper/],
  [{ status: 503 }, 502, /503/],
  [{ status: 504 }, 504, /504/],
  [{ status: 429, headers: { 'retry-after': '1' } }, 502, /429/],
  [{ status: 429, headers: { 'retry-after': '3600' } }, 502, /429/],
  [{ status: 400, message: 'Malformed' }, 400, /Malformed/],
  [{ status: 401 }, 400, /401/],
  [{ status: 403 }, 400, /403/],
  [{ status: 404, message: 'No such product' }, 404, /No such product/],
  [{ status: 409, message: 'Twice' }, 409, /Twice/],
  [{ status: 422, message: 'Too heavy' }, 422, /Too heavy/],
]

for (const [manner, status, error] of failures) {
  test(`a system that answers ${JSON.stringify(manner)} is told as ${status} of the integration`, async () => {
    stub.manner = manner
    const answer = await create('failing')
    assert.deepEqual([answer.status, answer.body.origin], [status, 'integration'], JSON.stringify(answer.body))
    assert.match(answer.body.error, error)
    const detail = status === 422 ? { json: { _schema: [answer.body.error] } } : undefined
    assert.deepEqual(answer.body.detail, detail)
    assert.ok(answer.tookMs < 10_000)
    for (const each of stub.orders) assert.equal(await kept(each.id), 404)
  })
}

test('a system that does not answer is told as 504 within the time limit', async () => {
  stub.manner = 'slow'
  const answer = await create('slow')
  assert.deepEqual([answer.status, answer.body.origin], [504, 'integration'])
  assert.ok(answer.tookMs < 35_000, `${answer.tookMs} ms`)
})

test('a write cut off after it was taken is looked up under its key and not repeated', async () => {
  const headers = { 'idempotency-key': crypto.randomUUID() }
  for (const manner of ['cut off', 'broken json', 'other json'] as const) {
    stub.manner = manner
    const number = `once, ${manner}`
    const key = { 'idempotency-key': crypto.randomUUID() }
    assert.equal((await create(number, key)).status, 502)
    stub.manner = 'well'
    const again = await create(number, key)
    assert.deepEqual([again.status, again.body.data.order_number, taken(number)], [200, number, 1])
    assert.equal(await kept(again.body.id), 200)
    const replayed = await create(number, key)
    assert.deepEqual([replayed.headers.get('idempotent-replayed'), replayed.body], ['true', again.body])
  }
  stub.manner = 'hang up'
  assert.equal((await create('not taken', headers)).status, 502)
  stub.manner = 'well'
  assert.equal((await create('not taken', headers)).status, 200)
  assert.equal(taken('not taken'), 1)
})

for (const status of [400, 401, 403, 429]) {
  test(`a look-up that is refused with ${status} tells nothing of the write, which is looked up again`, async () => {
    const number = `looked up, ${status}`
    const key = { 'idempotency-key': number }
    stub.manner = 'cut off'
    assert.equal((await create(number, key)).status, 502)
    stub.manner = 'well'
    stub.refusesReads = status
    const refused = await create(number, key)
    stub.refusesReads = null
    assert.deepEqual([refused.status, refused.body.origin], [status === 429 ? 502 : 400, 'integration'])
    const again = await create(number, key)
    assert.deepEqual([again.status, again.body.data?.order_number, taken(number)], [200, number, 1])
  })
}

for (const status of [403, 429, 500]) {
  test(`a write that fails with ${status} after its first step is looked up under its key`, async () => {
    const connection = await install('asks-afterwards')
    const number = `half done, ${status}`
    const key = { 'idempotency-key': number }
    stub.manner = 'well'
    stub.refusesReads = status
    const failed = await create(number, key, connection)
    stub.refusesReads = null
    assert.deepEqual([failed.status, failed.body.origin], [status === 403 ? 400 : 502, 'integration'])
    const again = await create(number, key, connection)
    assert.deepEqual([again.status, again.body.data?.order_number, taken(number)], [200, number, 1])
  })

  test(`a write that fails with ${status} before its first step has had no effect, and releases its key`, async () => {
    const connection = await install('asks-first')
    const key = { 'idempotency-key': `not begun, ${status}` }
    stub.manner = 'well'
    stub.refusesReads = status
    assert.notEqual((await create(`not begun, ${status}`, key, connection)).status, 200)
    stub.refusesReads = null
    assert.equal((await create(`another, ${status}`, key, connection)).status, 200)
    assert.deepEqual([taken(`not begun, ${status}`), taken(`another, ${status}`)], [0, 1])
  })
}

test('where nobody can tell what became of a write that was cut off, it is told as unknown and never repeated', async () => {
  const blind = await install('blind')
  const headers = { 'idempotency-key': crypto.randomUUID() }
  stub.manner = 'cut off'
  assert.equal((await create('unknown', headers, blind)).status, 502)
  stub.manner = 'well'
  for (let again = 0; again < 2; again++) {
    const { status, body } = await create('unknown', headers, blind)
    assert.deepEqual([status, body.origin], [409, 'service'])
    assert.match(body.error, /may have reached blind; whether it took effect is unknown/)
  }
  assert.equal(taken('unknown'), 1)
})

test('a write that does no harm twice is repeated after it was cut off', async () => {
  const tireless = await install('tireless')
  const headers = { 'idempotency-key': crypto.randomUUID() }
  stub.manner = 'cut off'
  assert.equal((await create('twice', headers, tireless)).status, 502)
  stub.manner = 'well'
  assert.equal((await create('twice', headers, tireless)).status, 200)
  assert.equal(taken('twice'), 2)
})

test('a refusal releases the key, another body or endpoint is refused, and a success is replayed', async () => {
  const headers = { 'idempotency-key': 'k'.repeat(255) }
  stub.manner = { status: 422 }
  assert.equal((await create('first', headers)).status, 422)
  stub.manner = 'well'
  const first = await create('second', headers)
  assert.deepEqual([first.status, first.headers.get('idempotent-replayed')], [200, null])
  const other = await create('third', headers)
  assert.deepEqual([other.status, other.body.origin], [400, 'service'])
  const elsewhere = await crossdock.call('PUT', '/wms/orders/O1', { token, body: order('second'), headers })
  assert.equal(elsewhere.status, 400)
  // the order of the fields says nothing
  const body = Object.fromEntries(Object.entries(order('second')).reverse())
  const replayed = await crossdock.call('POST', '/wms/orders', { token, body, headers })
  assert.deepEqual([replayed.status, replayed.headers.get('idempotent-replayed')], [200, 'true'])
  assert.deepEqual(replayed.body, first.body)
  assert.equal(taken('second'), 1)
  for (const key of ['', 'k'.repeat(256)]) {
    assert.equal((await create('fourth', { 'idempotency-key': key })).status, 422)
  }
})

test('a key belongs to its connection, and one that is in use is refused', async () => {
  const headers = { 'idempotency-key': 'shared' }
  const other = await syncedSandbox(crossdock)
  const [one, two] = await Promise.all([
    crossdock.call('POST', '/wms/orders', { token, body: order('mine'), headers }),
    crossdock.call('POST', '/wms/orders', { token: other.token, body: order('yours'), headers }),
  ])
  assert.deepEqual([one.status, two.status], [200, 200])
  const posts = await Promise.all(Array.from({ length: 20 }, () => create('race', { 'idempotency-key': 'race' })))
  const fresh = posts.filter((post) => post.status === 200 && post.headers.get('idempotent-replayed') === null)
  assert.equal(fresh.length, 1)
  for (const post of posts) assert.ok(post.status === 200 || post.status === 409, String(post.status))
  assert.equal(taken('race'), 1)
})

test('administrative writes are replayed as well, and what they answered is kept sealed', async () => {
  const headers = { 'idempotency-key': 'a link' }
  const make = (link_duration: number) => crossdock.call('POST', '/magic-links', { body: { link_duration }, headers })
  const first = await make(3)
  const again = await make(3)
  assert.deepEqual([again.body, again.headers.get('idempotent-replayed')], [first.body, 'true'])
  assert.equal((await make(4)).status, 400)
})

test('an integration that does not write answers 501 with its name', async () => {
  const mute = await install('mute')
  const answer = await crossdock.call('POST', '/wms/orders', { token: mute, body: order('none') })
  assert.equal(answer.status, 501)
  assert.deepEqual(answer.body, {
    error: 'Endpoint create_order is not implemented for Mute System',
    origin: 'service',
  })
  const { body } = await crossdock.call('GET', '/integrations/wms/mute/write-info')
  assert.deepEqual([body.openapi, body.paths], ['3.1.0', {}])
})
