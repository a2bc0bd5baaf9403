import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startTestCrossdock, syncedSandbox, type TestCrossdock } from '../harness/crossdock.ts'

/** Every operation of the OpenAPI document is asked wrongly in every way it can be. */

interface Operation {
  method: string
  path: string
  parameters: { name: string; in: string; schema: Schema }[]
  body: Schema | null
  security: string[]
}

interface Schema {
  type?: string | string[]
  enum?: unknown[]
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  format?: string
}

let crossdock: TestCrossdock
let sandbox: { id: string; token: string }
let foreign: { id: string; token: string; key: string }
let operations: Operation[]

before(async () => {
  crossdock = await startTestCrossdock()
  sandbox = await syncedSandbox(crossdock)
  const { body } = await crossdock.call('POST', '/operator/organizations', {
    body: { name: 'another' },
    headers: { 'x-service-operator-key': crossdock.operatorKey },
  })
  const other = await crossdock.call('POST', '/sandbox/generate-sandbox/wms', {
    headers: { 'x-service-api-key': body.api_key },
  })
  foreign = { id: other.body.connection_id, token: other.body.access_token, key: body.api_key }
  const document = (await crossdock.call('GET', '/openapi.json')).body
  operations = Object.entries<Record<string, any>>(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      parameters: operation.parameters ?? [],
      body: operation.requestBody?.content?.['application/json']?.schema ?? null,
      security: Object.keys(operation.security?.[0] ?? {}),
    })),
  )
})

after(() => crossdock.stop())

const oddIds = [
  'x'.repeat(2000),
  '%00',
  '%F0%9F%92%A9',
  "';drop table connections;--",
  '..%2f..%2fetc',
  '-1',
  '1e309',
  'null',
  '__proto__',
  '%ED%A0%80',
  '00000000-0000-0000-0000-000000000000',
]

const odd: unknown[] = [
  null,
  0,
  -1,
  1.5,
  1e300,
  true,
  '',
  'x'.repeat(5000),
  '\u0000',
  '\ud800',
  [],
  [null],
  {},
  { a: 1 },
]

/** An operation's path with every parameter replaced. */
const pathWith = (operation: Operation, value: string) => operation.path.replace(/\{\w+\}/g, value)

function headersOf(operation: Operation): Record<string, string> {
  return {
    ...(operation.security.includes('accessToken') ? { 'x-service-access-token': sandbox.token } : {}),
    ...(operation.security.includes('operatorKey') ? { 'x-service-operator-key': crossdock.operatorKey } : {}),
    ...(operation.security.includes('linkToken') ? { 'x-service-link-token': 'lt_unknown' } : {}),
  }
}

async function ask(
  operation: Operation,
  path: string,
  options: { body?: unknown; headers?: Record<string, string> } = {},
) {
  const answer = await crossdock.call(operation.method, path, {
    ...(options.body === undefined ? {} : { body: options.body }),
    headers: { ...headersOf(operation), ...options.headers },
  })
  const told = `${operation.method} ${path.slice(0, 200)} ${JSON.stringify(options.body)?.slice(0, 200) ?? ''} → ${answer.status} ${JSON.stringify(answer.body).slice(0, 300)}`
  assert.ok(answer.status < 500 || answer.status === 501, told)
  if (answer.status >= 400) {
    assert.equal(typeof answer.body.error, 'string', told)
    assert.ok(['service', 'integration'].includes(answer.body.origin), told)
    assert.ok(answer.headers.get('x-request-id'), told)
    assert.doesNotMatch(JSON.stringify(answer.body), /node_modules|at \w+ \(|select .* from|syntax error/i, told)
    if (answer.status === 422) assert.equal(typeof answer.body.detail, 'object', told)
  }
  return { ...answer, told }
}

test('the document names every door', () => {
  for (const path of ['/connections', '/wms/orders', '/schedules/toggle-all', '/sandbox/faults', '/api-keys']) {
    assert.ok(
      operations.some((operation) => operation.path === path),
      path,
    )
  }
  assert.ok(operations.length > 50, `${operations.length} operations`)
})

test('ids that no record has are 404 or 422 on every operation, whatever they look like', async () => {
  for (const operation of operations.filter((each) => each.path.includes('{'))) {
    for (const id of oddIds) {
      const answer = await ask(operation, pathWith(operation, id))
      assert.ok(answer.status >= 400 && answer.status < 500, answer.told)
    }
  }
})

test('bodies of the wrong type, with missing, unknown and odd fields are refused in the right shape', async () => {
  for (const operation of operations.filter((each) => each.body !== null)) {
    const path = pathWith(operation, 'unknown')
    for (const body of [null, 1, 'text', [], '{broken', '"']) {
      const raw = typeof body === 'string' && body !== 'text' ? body : JSON.stringify(body)
      const answer = await ask(operation, path, { body: raw })
      assert.ok([400, 401, 404, 415, 422].includes(answer.status), answer.told)
    }
    const unknown = await ask(operation, path, { body: { surely_unknown_field: 1 } })
    assert.ok([401, 404, 422].includes(unknown.status), unknown.told)
    if (unknown.status === 422)
      assert.ok(unknown.body.detail.json?.surely_unknown_field || unknown.body.detail.path, unknown.told)
    for (const field of Object.keys(operation.body!.properties ?? {})) {
      for (const value of odd) await ask(operation, path, { body: { [field]: value } })
    }
  }
})

test('a body that is not JSON by name is 415, one over 1 MiB is 413', async () => {
  for (const operation of operations.filter((each) => each.body !== null)) {
    const path = pathWith(operation, 'unknown')
    const typed = await ask(operation, path, { body: '<a/>', headers: { 'content-type': 'text/xml' } })
    assert.ok([401, 415].includes(typed.status), typed.told)
    const large = await ask(operation, path, { body: { a: 'x'.repeat(1024 * 1024) } })
    assert.ok([401, 413].includes(large.status), large.told)
  }
})

test('unknown query parameters are named, and known ones of the wrong type refused, on every list', async () => {
  for (const operation of operations.filter((each) => each.method === 'GET')) {
    const path = pathWith(operation, sandbox.id)
    const unknown = await ask(operation, `${path}?surely_unknown=1`)
    assert.ok([401, 404, 422].includes(unknown.status), unknown.told)
    if (unknown.status === 422) assert.ok(unknown.body.detail.query.surely_unknown, unknown.told)
    for (const parameter of operation.parameters.filter((each) => each.in === 'query')) {
      for (const value of ['', '%00', '%F0%9F%92%A9', 'x'.repeat(3000), '-1', '1e309', "'", '[]', 'a,b,,c']) {
        await ask(operation, `${path}?${encodeURIComponent(parameter.name)}=${value}`)
      }
      await ask(operation, `${path}?${encodeURIComponent(parameter.name)}=1&${encodeURIComponent(parameter.name)}=2`)
    }
  }
})

test('every fault of a query is told at once, those of page tokens and of listed values too', async () => {
  const lists = operations.filter(({ parameters }) => parameters.some(({ name }) => name === 'page_token'))
  assert.ok(lists.length > 15)
  for (const operation of lists) {
    const { body, told } = await ask(operation, `${pathWith(operation, sandbox.id)}?page_token=zzz&surely_unknown=1`)
    assert.deepEqual(Object.keys(body.detail?.query ?? {}).sort(), ['page_token', 'surely_unknown'], told)
  }
  const many = Array(101).fill('open').join()
  const faultsOf = async (query: string) =>
    (await crossdock.call('GET', `/wms/orders?${query}`, { token: sandbox.token })).body.detail.query
  assert.deepEqual(
    await faultsOf(
      `created_date[in]=bad&updated_date[nin]=${many}&status[in]=${many}&service_tags[contains]=${many}&updated_date[gte]=nope&limit=0&colour[in]=1&page_token=zzz`,
    ),
    {
      'created_date[in]': ['Must list ISO 8601 timestamps with offset.'],
      'updated_date[nin]': ['May list at most 100 values.', 'Must list ISO 8601 timestamps with offset.'],
      'status[in]': ['May list at most 100 values.'],
      'service_tags[contains]': ['May list at most 100 values.'],
      'updated_date[gte]': ['Must be an ISO 8601 timestamp with offset, for example 2026-11-20T08:15:30Z.'],
      limit: ['Must be at least 1.'],
      'colour[in]': ['Unknown field.'],
      page_token: ['Is not a page token of this list.'],
    },
  )
  assert.deepEqual(await faultsOf(`ids[in]=${many}&created_date[in]=bad`), {
    'ids[in]': ['May list at most 100 values.'],
  })
})

test('without keys and with foreign tokens nothing is answered', async () => {
  for (const operation of operations) {
    const path = pathWith(operation, sandbox.id)
    const stripped = {
      'x-service-api-key': '',
      'x-service-operator-key': '',
      'x-service-access-token': '',
      'x-service-link-token': '',
    }
    if (operation.security.length > 0) {
      const none = await ask(operation, path, { headers: stripped })
      assert.equal(none.status, 401, none.told)
    }
    if (operation.security.includes('accessToken')) {
      const theirs = await ask(operation, path, { headers: { 'x-service-access-token': foreign.token } })
      assert.equal(theirs.status, 401, theirs.told)
    }
  }
})

test("another organization's connection is the same 404 as none", async () => {
  const theirs = await crossdock.call('GET', `/connections/${foreign.id}`)
  const none = await crossdock.call('GET', '/connections/00000000-0000-4000-8000-000000000000')
  assert.equal(theirs.status, 404)
  assert.deepEqual({ ...theirs.body, id: '' }, { ...none.body, id: '' })
  assert.equal(theirs.body.id, foreign.id)
})

test('what was asked wrongly has changed nothing', async () => {
  const { body } = await crossdock.call('GET', `/connections/${sandbox.id}`)
  assert.equal(body.data[0].connection_id, sandbox.id)
  assert.equal((await crossdock.call('GET', '/wms/orders?limit=1', { token: sandbox.token })).body.data.length, 1)
})
