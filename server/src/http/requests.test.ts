import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { after, before, test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { Type } from 'typebox'
import { type Door, openDoor, type Sent } from './door.fixture.ts'

let door: Door
const closed = { additionalProperties: false }
const lineItem = Type.Object({ sku: Type.String(), quantity: Type.Integer({ minimum: 1 }) }, closed)
const order = Type.Object({ number: Type.String(), line_items: Type.Array(lineItem) }, closed)
const freeForm = Type.Object({ note: Type.Optional(Type.Unknown()) }, { ...closed, default: {} })

before(async () => {
  door = await openDoor({
    routes(app) {
      const config = { access: 'public' } as const
      const params = Type.Object({ colour: Type.String({ enum: ['red', 'blue'] }) })
      const querystring = Type.Object({
        limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 10, default: 10 })),
        word: Type.Optional(Type.String()),
        since: Type.Optional(Type.String({ format: 'date-time' })),
      })
      app.post('/orders/:colour', { config, schema: { params, querystring, body: order } }, async () => ({ ok: true }))
      app.get('/orders/:colour', { config, schema: { params, querystring } }, async ({ query }) => query)
      app.post('/returns', { config, schema: { body: order } }, async () => ({ ok: true }))
      app.post('/bells', { config }, async () => ({ rung: true }))
      app.post('/notes', { config, schema: { body: freeForm } }, async ({ body }) => ({ got: body }))
      app.get('/broken', { config }, async () => {
        throw new Error('select secret from vault')
      })
    },
  })
})
after(() => door.close())

const good = { number: '1', line_items: [{ sku: 'a', quantity: 1 }] }
const notJson = { body: '{}', headers: { 'content-type': 'text/plain' } }

async function refused(status: number, method: string, path: string, sent: Sent = {}) {
  const answer = await door.call(method, path, sent)
  assert.equal(answer.status, status, `${method} ${path.slice(0, 80)} → ${answer.status} ${answer.text.slice(0, 300)}`)
  assert.match(answer.headers.get('x-request-id') ?? '', /^[\da-f-]{36}$/)
  assert.equal(answer.headers.get('content-type'), 'application/json; charset=utf-8')
  assert.equal(answer.body.origin, 'service')
  return answer
}
const faultsOf = async (method: string, path: string, sent: Sent = {}) =>
  (await refused(422, method, path, sent)).body.detail

/** What is in use after everything else was collected. */
function heapBytes() {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  return process.memoryUsage().heapUsed
}

/** Sends bytes as they are; resolves with all that comes back. */
async function sendRaw(bytes: string) {
  const socket = connect(Number(new URL(door.origin).port), '127.0.0.1')
  let got = ''
  socket.on('data', (chunk) => {
    got += chunk
  })
  socket.on('error', () => {})
  socket.write(bytes)
  await once(socket, 'close')
  return got
}

test('every answer has a request id of its own', async () => {
  const ids = await Promise.all(['/orders/red', '/broken', '/nowhere', '/%zz'].map((path) => door.call('GET', path)))
  assert.equal(new Set(ids.map(({ headers }) => headers.get('x-request-id'))).size, 4)
})

test('unknown paths are 404, also with a body nobody reads', async () => {
  for (const path of ['/nowhere', '/', '/orders/red/', '/ORDERS/red', '/%zz', '/%ED%A0%80', '//', '/%2e%2e']) {
    assert.deepEqual((await refused(404, 'GET', path)).body, {
      error: 'There is nothing at this path',
      origin: 'service',
    })
  }
  await refused(404, 'POST', '/nowhere', notJson)
  await refused(404, 'POST', '/nowhere', { body: '{', headers: { 'content-type': 'application/json' } })
})

test('a wrong method is 405 and names those that are allowed', async () => {
  for (const method of ['DELETE', 'PUT', 'PATCH', 'OPTIONS', 'PROPFIND']) {
    const { headers } = await refused(405, method, '/orders/red')
    assert.deepEqual(headers.get('allow')?.split(', ').sort(), ['GET', 'HEAD', 'POST'])
  }
  assert.equal((await refused(405, 'POST', '/broken', notJson)).headers.get('allow'), 'GET, HEAD')
  assert.equal((await door.call('HEAD', '/notes')).headers.get('allow'), 'POST')
  await refused(404, 'OPTIONS', '/nowhere')
})

test('HEAD answers like GET, without the body', async () => {
  const get = await door.call('GET', '/orders/red')
  const head = await door.call('HEAD', '/orders/red')
  assert.deepEqual([head.status, head.text], [200, ''])
  assert.equal(head.headers.get('content-length'), get.headers.get('content-length'))
  assert.deepEqual([(await door.call('HEAD', '/orders/green')).status], [422])
})

test('malformed JSON is 400', async () => {
  for (const body of ['{', '{"number":}', 'nul', "{'a':1}", '{"a":1}x', Uint8Array.of(0x7b, 0xff, 0x7d)]) {
    await refused(400, 'POST', '/notes', { body, headers: { 'content-type': 'application/json' } })
  }
})

test('text that is not UTF-8 is not stored as something else', async () => {
  const body = Buffer.concat([Buffer.from('{"note":"'), Buffer.of(0xc3, 0x28), Buffer.from('"}')])
  await refused(400, 'POST', '/notes', { body, headers: { 'content-type': 'application/json' } })
})

test('a body may be a whole MiB and not a byte more', async () => {
  const headers = { 'content-type': 'application/json' }
  const frame = JSON.stringify({ note: '' }).length
  const body = JSON.stringify({ note: 'x'.repeat(1024 * 1024 - frame) })
  assert.equal((await door.call('POST', '/notes', { body, headers })).status, 200)
  await refused(413, 'POST', '/notes', { body: `${body} `, headers })
})

test('a body of another content type is 415', async () => {
  await refused(415, 'POST', '/notes', notJson)
  for (const type of ['application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'json', '/']) {
    await refused(415, 'POST', '/notes', { body: '{}', headers: { 'content-type': type } })
  }
  const charset = { body: '{}', headers: { 'content-type': 'Application/JSON; charset=utf-8' } }
  assert.equal((await door.call('POST', '/notes', charset)).status, 200)
})

test('an optional body may be left out, empty or an empty object; a required one may not', async () => {
  const empty = { headers: { 'content-type': 'application/json' } }
  for (const sent of [{}, empty, { ...empty, body: '' }, { json: {} }]) {
    assert.deepEqual((await door.call('POST', '/notes', sent)).body, { got: {} })
    const { json } = sent as Sent
    const wanted = json ? ['number', 'line_items'] : ['_schema']
    assert.deepEqual(Object.keys((await faultsOf('POST', '/orders/red', sent)).json), wanted)
  }
})

test('a body where none is taken is a fault, unless it is empty', async () => {
  for (const sent of [{}, { headers: { 'content-type': 'application/json' } }, { json: {} }]) {
    assert.deepEqual((await door.call('POST', '/bells', sent)).body, { rung: true })
  }
  assert.deepEqual(await faultsOf('POST', '/bells', { json: { loud: true } }), { json: { loud: ['Unknown field.'] } })
  assert.deepEqual(await faultsOf('POST', '/bells', { json: [] }), { json: { _schema: ['Must be an object.'] } })
})

test('a body that is no object is a fault of the whole', async () => {
  for (const json of [[], 'text', 7, true]) {
    assert.deepEqual(await faultsOf('POST', '/orders/red', { json }), { json: { _schema: ['Must be an object.'] } })
    await faultsOf('POST', '/notes', { json })
  }
  assert.deepEqual(await faultsOf('POST', '/orders/red', { json: null }), { json: { _schema: ['Must be an object.'] } })
})

test('all faults of body, query and path are told at once, nested like the input', async () => {
  const json = { line_items: [{ quantity: 0 }, { sku: 5, quantity: 1.5, size: 'L' }], colour: 'red' }
  const { body } = await refused(422, 'POST', '/orders/green?limit=11&page=2', { json })
  assert.deepEqual(body, {
    error: 'Validation error',
    origin: 'service',
    detail: {
      json: {
        number: ['This field is required.'],
        colour: ['Unknown field.'],
        line_items: {
          0: { sku: ['This field is required.'], quantity: ['Must be at least 1.'] },
          1: { sku: ['Must be a string.'], quantity: ['Must be an integer.'], size: ['Unknown field.'] },
        },
      },
      path: { colour: ['Must be one of: red, blue.'] },
      query: { limit: ['Must be at most 10.'], page: ['Unknown field.'] },
    },
  })
})

test('a duplicate query parameter is a fault', async () => {
  assert.deepEqual(await faultsOf('GET', '/orders/red?limit=1&limit=2'), { query: { limit: ['Must be an integer.'] } })
  assert.deepEqual(await faultsOf('GET', '/orders/red?word=a&word=b'), { query: { word: ['Must be a string.'] } })
  assert.deepEqual(await faultsOf('GET', '/orders/red?x=1&x=2'), { query: { x: ['Unknown field.'] } })
})

test('names of the prototype are unknown fields like any other', async () => {
  const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'prototype']
  for (const name of names) {
    const body = JSON.stringify(good).replace('{', `{${JSON.stringify(name)}:{"prototype":{"polluted":1}},`)
    const sent = { body, headers: { 'content-type': 'application/json' } }
    const unknown = `{"${name}":["Unknown field."]}`
    assert.equal(JSON.stringify(await faultsOf('POST', '/orders/red', sent)), `{"json":${unknown}}`)
    assert.equal(JSON.stringify(await faultsOf('GET', `/orders/red?${name}=1`)), `{"query":${unknown}}`)
    await faultsOf('GET', `/orders/${name}`)
  }
  const nested = { body: '{"note":{"__proto__":{"polluted":1}}}', headers: { 'content-type': 'application/json' } }
  assert.equal((await door.call('POST', '/notes', nested)).status, 200)
  assert.equal(({} as { polluted?: number }).polluted, undefined)
})

test('text that PostgreSQL cannot keep is a fault of its field, each of them', async () => {
  const bad = 'Contains characters that are not valid Unicode text.'
  const json = { number: 'a\0', line_items: [{ sku: '\ud800', quantity: 1 }] }
  assert.deepEqual(await faultsOf('POST', '/orders/red', { json }), {
    json: { number: [bad], line_items: { 0: { sku: [bad] } } },
  })
  assert.deepEqual(await faultsOf('GET', '/orders/red?word=%00'), { query: { word: [bad] } })
  assert.deepEqual((await faultsOf('GET', '/orders/a%00')).path.colour[0], bad)
  assert.ok((await faultsOf('POST', '/notes', { json: { note: { 'a\0': 1 } } })).json.note)
  await faultsOf('DELETE', '/api-keys/%00')
  const halves = await door.call('GET', '/orders/red?word=%ED%A0%80')
  assert.ok(halves.status === 200 && halves.body.word.isWellFormed())
})

test('ids of any form and length are 404 with the id', async () => {
  const ids = ['x', '0', '-1', 'null', '1e999', "' or 1=1 --", '../..', '💥', 'x'.repeat(2000), crypto.randomUUID()]
  for (const id of ids) {
    const { body } = await refused(404, 'DELETE', `/api-keys/${encodeURIComponent(id)}`)
    assert.deepEqual(body, { error: 'API key not found', origin: 'service', id })
  }
  await refused(404, 'DELETE', `/api-keys/${'x'.repeat(5000)}`)
})

test('instants that do not exist or that PostgreSQL cannot keep are faults', async () => {
  const at = (since: string) => `/orders/red?since=${encodeURIComponent(since)}`
  for (const since of ['2026-02-30T00:00:00Z', '2026-01-01', '2026-01-01T00:00:00', '0000-01-01T00:00:00Z']) {
    await faultsOf('GET', at(since))
  }
  for (const since of ['9999-12-31T23:59:59-01:00', '2026-01-01T00:00:00+20:00', '2026-01-01T25:00:00Z', '']) {
    await faultsOf('GET', at(since))
  }
  assert.equal((await door.call('GET', at('2026-02-28T10:00:00.123+05:30'))).status, 200)
})

test('a body nested without end is refused, not followed', async () => {
  const depth = 100_000
  const body = `{"note":${'['.repeat(depth)}${']'.repeat(depth)}}`
  const detail = await faultsOf('POST', '/notes', { body, headers: { 'content-type': 'application/json' } })
  assert.deepEqual(detail, { json: { note: ['Is nested deeper than 64 levels.'] } })
})

test('a megabyte of faults is answered with some of them', async () => {
  const json = { number: '1', line_items: Array(300_000).fill(1) }
  const { text } = await refused(422, 'POST', '/orders/red', { json })
  assert.ok(text.length < 100_000, `${text.length} characters`)
})

test('a megabyte of texts that cannot be kept is answered with some of them', async () => {
  const { text } = await refused(422, 'POST', '/notes', { json: { note: Array(100_000).fill('\0') } })
  assert.ok(text.length < 200_000, `${text.length} characters`)
})

test('every fault of a large body is told, of an enormous one the first', async () => {
  const items = (count: number) => ({ json: { number: 1, line_items: Array(count).fill({ sku: 'a', quantity: 1 }) } })
  const of = async (count: number) =>
    Object.keys((await faultsOf('POST', '/orders/red', { json: { colour: 1, ...items(count).json } })).json)
  assert.deepEqual((await of(6000)).sort(), ['colour', 'number'])
  assert.equal((await of(20_000)).length, 1)
  const { status } = await door.call('POST', '/orders/red', { json: { ...items(20_000).json, number: '1' } })
  assert.equal(status, 200)
})

test('nothing of a refused body is kept', async () => {
  const before = heapBytes()
  const json = { number: '1', line_items: Array(12_000).fill({ a: 1, b: 2 }) }
  await refused(422, 'POST', '/returns', { json })
  const grown = heapBytes() - before
  assert.ok(grown < 5_000_000, `${grown} bytes`)
})

test('a failure of ours tells the request id and nothing else; the log has the cause', async () => {
  const { body, headers } = await refused(500, 'GET', '/broken')
  const id = headers.get('x-request-id')
  assert.deepEqual(body, { error: `Something went wrong on our side; request id ${id}`, origin: 'service' })
  assert.equal(door.log.find((line) => line.requestId === id)?.err?.message, 'select secret from vault')
})

test('what is no request at all is answered in the same form', async () => {
  const [head, body] = (await sendRaw('hello\r\n\r\n')).split('\r\n\r\n') as [string, string]
  assert.match(head, /^HTTP\/1.1 400 Bad Request\r\n[\s\S]*x-request-id: [\da-f-]{36}/)
  assert.deepEqual(JSON.parse(body), { error: 'This is not an HTTP request', origin: 'service' })
  const tooLarge = await sendRaw(`GET /${'x'.repeat(20_000)} HTTP/1.1\r\nhost: a\r\n\r\n`)
  assert.match(tooLarge, /^HTTP\/1.1 431 [\s\S]*"origin":"service"/)
})
