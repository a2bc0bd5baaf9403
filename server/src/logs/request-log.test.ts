import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, before, test } from 'node:test'
import { sql } from 'kysely'
import { demo, serveDemo } from './demo-server.fixture.ts'
import { openSetting, type Setting, send } from './demo-setting.fixture.ts'

let setting: Setting
let served: Awaited<ReturnType<typeof serveDemo>>
before(async () => {
  setting = await openSetting()
  served = await serveDemo(setting)
})
after(async () => {
  await served?.stop()
  await setting.close()
})

/** Any write is written in a batch with, or after, everything before it. */
async function settled() {
  await send(served.origin, 'PUT', '/wms/orders/settled')
}

async function entryOf(id: string): Promise<any> {
  await settled()
  const { body } = await send(served.origin, 'GET', '/api-logs?limit=5000')
  return body.data.find((entry: { request_id: string }) => entry.request_id === id)
}

test('an entry tells what was asked, what was sent onward and what came of it', async () => {
  const sent = await send(served.origin, 'POST', '/wms/orders', {
    json: { order_number: 'A-1', password: 'hunter2-of-the-customer' },
    headers: { 'idempotency-key': 'key-1' },
  })
  const { request_time, duration_ms, ...entry } = await entryOf(sent.id)
  assert.ok(Math.abs(Date.parse(request_time) - Date.now()) < 10_000)
  assert.ok(Number.isInteger(duration_ms) && duration_ms >= 0)
  assert.deepEqual(entry, {
    request_id: sent.id,
    idempotency_key: 'key-1',
    connection_id: demo.connection.id,
    integration_name: 'acme',
    integration_type: 'wms',
    request_method: 'POST',
    request_path: '/wms/orders',
    path_param: null,
    query_params: {},
    request_body: { order_number: 'A-1', password: '***' },
    integration_request_bodies: [
      { url: `${setting.upstream}/orders?token=***`, method: 'POST', body: { order_number: 'A-1', password: '***' } },
    ],
    status_code: 200,
    error: null,
    error_origin: null,
  })
})

test('what is named like a secret is masked, and a place in a list is not', async () => {
  const json = { session_id: 'given', token_value: 'given', private_key: 'given', next_token: 'given', author: 'given' }
  const { id } = await send(served.origin, 'POST', '/wms/orders', { json })
  const masked = { ...json, session_id: '***', token_value: '***', private_key: '***' }
  assert.deepEqual((await entryOf(id)).request_body, masked)
})

test('secrets are masked in texts and names, and nothing beside them', async () => {
  const key = 'sk_keyThatStandsWhereNobodyLooks'
  const json = {
    note: `of\n${demo.accessToken}`,
    lines: [`first\n${key}`, 'ask_forWhatIsNoKeyAtAll'],
    [key]: { of: 1 },
  }
  const { id } = await send(served.origin, 'POST', '/wms/orders', { json })
  const masked = { note: 'of\n***', lines: ['first\n***', json.lines[1]], '***': { of: 1 } }
  const entry = await entryOf(id)
  assert.deepEqual([entry.request_body, entry.integration_request_bodies[0].body], [masked, masked])
})

test('an access token that reads like JSON does not keep its request out of the log', async () => {
  const accessToken = '":"1","b":"'
  const query = new URLSearchParams({ a: '1', b: '2', [accessToken]: `it is ${accessToken}` })
  const { id, status } = await send(served.origin, 'GET', `/wms/orders?${query}`, { accessToken })
  const { query_params } = await entryOf(id)
  assert.equal(status, 401)
  assert.deepEqual(query_params, { a: '1', b: '2', '***': 'it is ***' })
})

test('path parameters and the query are logged as they were sent', async () => {
  const found = await send(served.origin, 'GET', '/wms/orders/order%2F7')
  const missing = await entryOf(found.id)
  assert.equal(missing.request_path, '/wms/orders/<path_param>')
  assert.equal(missing.path_param, 'order/7')
  assert.deepEqual([missing.status_code, missing.error, missing.error_origin], [404, 'order not found', 'service'])
  const listed = await entryOf((await send(served.origin, 'GET', '/wms/orders?limit=5&note=%F0%9F%93%A6')).id)
  assert.deepEqual(listed.query_params, { limit: '5', note: '📦' })
})

test('a failure of the integration is told with its origin', async () => {
  const sent = await send(served.origin, 'POST', '/wms/orders', { json: { fail: true } })
  const entry = await entryOf(sent.id)
  assert.equal(sent.status, 422)
  assert.deepEqual([entry.status_code, entry.error_origin, entry.error], [422, 'integration', sent.body.error])
})

test('refused requests are logged: bad input, malformed JSON, an unknown access token', async () => {
  const bad = await send(served.origin, 'GET', '/wms/orders?limit=0')
  const malformed = await fetch(`${served.origin}/wms/orders`, {
    method: 'POST',
    headers: {
      'x-service-api-key': demo.apiKey,
      'x-service-access-token': demo.accessToken,
      'content-type': 'application/json',
    },
    body: '{"a":',
  })
  const unknown = await send(served.origin, 'GET', '/wms/orders', { accessToken: 'at_unknown' })
  assert.deepEqual((await entryOf(bad.id)).query_params, { limit: '0' })
  assert.equal((await entryOf(malformed.headers.get('x-request-id')!)).status_code, 400)
  const refused = await entryOf(unknown.id)
  assert.deepEqual([refused.status_code, refused.connection_id, refused.integration_name], [401, null, null])
})

test('a wrong method is logged under the path it was meant for, whoever may not call it is not', async () => {
  const wrong = await send(served.origin, 'OPTIONS', '/wms/orders/7')
  const entry = await entryOf(wrong.id)
  assert.deepEqual(
    [entry.request_method, entry.request_path, entry.path_param, entry.status_code, entry.connection_id],
    ['OPTIONS', '/wms/orders/<path_param>', '7', 405, demo.connection.id],
  )
  const { body } = await send(served.origin, 'GET', '/api-logs?request_method=OPTIONS')
  assert.deepEqual(body.data, [entry])
  const nobody = await fetch(`${served.origin}/wms/orders`, { method: 'OPTIONS' })
  assert.deepEqual([nobody.status, await entryOf(nobody.headers.get('x-request-id')!)], [405, undefined])
})

test('a body that is nested too deep is refused like any other, and logged without it', async () => {
  const body = `{"a":${'['.repeat(5000)}${']'.repeat(5000)}}`
  const headers = { 'x-service-api-key': demo.apiKey, 'x-service-access-token': demo.accessToken }
  const answer = await fetch(`${served.origin}/wms/orders`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body,
  })
  assert.deepEqual(await answer.json(), {
    error: 'Validation error',
    origin: 'service',
    detail: { json: { a: ['Is nested deeper than 64 levels.'] } },
  })
  const entry = await entryOf(answer.headers.get('x-request-id')!)
  assert.deepEqual([entry.status_code, entry.request_body], [422, '(nested deeper than 64 levels)'])
})

test('administrative requests are logged where they name a connection', async () => {
  const { id } = demo.connection
  const plain = { 'x-service-api-key': demo.apiKey }
  const byPath = await fetch(`${served.origin}/connections/${id}`, { headers: plain })
  const byBody = await fetch(`${served.origin}/link/token`, {
    method: 'POST',
    headers: { ...plain, 'content-type': 'application/json' },
    body: JSON.stringify({ connection_id: id }),
  })
  const foreign = await fetch(`${served.origin}/connections/${id}`, {
    headers: { 'x-service-api-key': demo.otherApiKey },
  })
  const byQuery = await fetch(`${served.origin}/connections?connection_id=${id}`, { headers: plain })
  const ofTheLog = await fetch(`${served.origin}/api-logs?connection_id=${id}`, { headers: plain })
  const none = await fetch(`${served.origin}/connections`, { headers: plain })
  const health = await fetch(`${served.origin}/health`)
  const requestId = (answer: Response) => answer.headers.get('x-request-id')!
  assert.equal((await entryOf(requestId(byPath))).connection_id, id)
  assert.equal((await entryOf(requestId(byBody))).connection_id, id)
  assert.equal((await entryOf(requestId(byQuery))).connection_id, id)
  assert.equal(await entryOf(requestId(ofTheLog)), undefined)
  assert.equal(await entryOf(requestId(none)), undefined)
  assert.equal(await entryOf(requestId(health)), undefined)
  const { rows } = await sql<{ connection_id: string }>`
    select connection_id::text from api_logs where request_id::text = ${requestId(foreign)}`.execute(
    setting.database.db,
  )
  assert.match(rows[0]!.connection_id, /^0{8}-/)
})

test('a body beyond 64 KiB is cut where it can be seen', async () => {
  const { request_body } = await entryOf(
    (await send(served.origin, 'POST', '/wms/orders', { json: { text: '📦'.repeat(50_000) } })).id,
  )
  assert.equal(request_body.bytes, 200_011)
  assert.ok(request_body.truncated.endsWith('📦…'))
  assert.ok(Buffer.byteLength(request_body.truncated) <= 64 * 1024 + 3)
})

test('text that PostgreSQL cannot keep is logged all the same', async () => {
  const odd = await send(served.origin, 'GET', '/wms/orders/a%00b')
  const body = await send(served.origin, 'POST', '/wms/orders', { json: { half: '\ud800', nul: 'a\0b' } })
  assert.equal((await entryOf(odd.id)).path_param, 'a\uFFFDb')
  assert.deepEqual((await entryOf(body.id)).request_body, { half: '\ud800', nul: 'a\0b' })
})

test('requests to several processes are logged once each, and no secret is in the table', async () => {
  const processes = await Promise.all([1, 2, 3].map(() => setting.spawn()))
  const secrets = ['hunter2', 'sesame-of-the-query', demo.apiKey, demo.accessToken, demo.upstreamKey, 'upstream-token']
  const statuses = new Map<string, number>()
  const kinds: ((origin: string, i: number) => ReturnType<typeof send>)[] = [
    (origin) => send(origin, 'GET', '/wms/orders?limit=7'),
    (origin, i) => send(origin, 'GET', `/wms/orders/${i}`),
    (origin) => send(origin, 'GET', '/wms/orders?limit=0&api_key=sesame-of-the-query'),
    (origin, i) =>
      send(origin, 'POST', '/wms/orders', {
        json: { i, credentials: { user: 'hunter2' }, note: `key ${demo.apiKey}` },
      }),
    (origin) => send(origin, 'POST', '/wms/orders', { json: { fail: demo.accessToken } }),
    (origin, i) => send(origin, 'PUT', `/wms/orders/${i}`),
    (origin, i) => send(origin, 'PATCH', `/wms/orders/${i}`),
    (origin) => send(origin, 'DELETE', `/wms/orders/${demo.accessToken}`),
  ]
  await Promise.all(
    [0, 1, 2, 3, 4, 5, 6, 7].map(async (lane) => {
      for (let i = lane; i < 1000; i += 8) {
        const { id, status } = await kinds[(i >> 3) % 8]!(processes[i % 3]!.origin, i)
        statuses.set(id, status)
      }
    }),
  )
  for (const { process } of processes) {
    process.kill('SIGTERM')
    await once(process, 'exit')
  }
  const { rows } = await sql<{ id: string; status: number }>`
    select request_id::text as id, status_code as status from api_logs join api_log_calls c on c.id = call
    where request_id::text = any(${[...statuses.keys()]})`.execute(setting.database.db)
  assert.equal(rows.length, 1000)
  assert.deepEqual(new Map(rows.map(({ id, status }) => [id, status])), statuses)
  for (const secret of secrets) {
    const found = await sql`select 1 from api_logs where api_logs::text like ${`%${secret}%`} limit 1`.execute(
      setting.database.db,
    )
    assert.equal(found.rows.length, 0, secret)
  }
})
