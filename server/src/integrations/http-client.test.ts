import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { afterEach, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import type { HttpOptions } from './http.ts'
import { type CreateHttpOptions, createHttp, type SentCall } from './http-client.ts'
import { judgeByStatus } from './http-faults.ts'

type Handler = (request: IncomingMessage, response: ServerResponse, count: number) => void

const closing: (() => void)[] = []
afterEach(() => {
  for (const close of closing.splice(0)) close()
})

async function serve(handler: Handler): Promise<{ origin: string; requests: IncomingMessage[] }> {
  const requests: IncomingMessage[] = []
  const server = createServer((request, response) => handler(request, response, requests.push(request)))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  closing.push(() => {
    server.close()
    server.closeAllConnections()
  })
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests }
}

function answer(response: ServerResponse, status: number, body?: unknown, headers: Record<string, string> = {}): void {
  const text = body === undefined ? '' : JSON.stringify(body)
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text)
}

function client(origin: string, options: HttpOptions = {}, more: Partial<CreateHttpOptions> = {}) {
  const sent: SentCall[] = []
  const http = createHttp({
    allowPrivateNetwork: true,
    trustedOrigins: [],
    retry: { baseMs: 2 },
    record: (call) => sent.push(call),
    ...more,
  })
  return { sent, ...http.at(origin, options) }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  return Buffer.concat(await request.toArray()).toString()
}

test('an answer comes with its status, headers and parsed JSON', async () => {
  const { origin, requests } = await serve((_, response) => answer(response, 200, { ok: true }, { 'x-page': '2' }))
  const got = await client(`${origin}/api/`, { headers: { 'X-Key': 'k' } }).get('/orders', {
    query: { page: 2, open: true, name: 'a&b', none: undefined },
    headers: { accept: 'text/x' },
  })
  assert.deepEqual([got.status, got.headers.get('x-page'), got.body], [200, '2', { ok: true }])
  const { url, method, headers } = requests[0]!
  assert.deepEqual([method, url], ['GET', '/api/orders?page=2&open=true&name=a%26b'])
  assert.deepEqual([headers['x-key'], headers.accept, headers['user-agent']], ['k', 'text/x', 'Crossdock'])
})

test('text stays text, an empty body is null, and compressed answers are read', async () => {
  const { origin } = await serve((request, response) => {
    if (request.url === '/text') response.end('hello')
    else if (request.url === '/empty') answer(response, 200)
    else
      response
        .writeHead(200, { 'content-type': 'application/vnd.api+json', 'content-encoding': 'gzip' })
        .end(gzipSync('{"a":"é"}'))
  })
  const { get } = client(origin)
  assert.equal((await get('/text')).body, 'hello')
  assert.equal((await get('/empty')).body, null)
  assert.deepEqual((await get('/gzip')).body, { a: 'é' })
})

test('connections are kept alive and shared between clients', async () => {
  const { origin, requests } = await serve((_, response) => answer(response, 200, {}))
  for (let i = 0; i < 20; i++) await client(origin).get('/')
  const sockets = new Set(requests.map((request) => request.socket)).size
  assert.ok(sockets <= 2, `${sockets} connections for 20 calls`)
})

test('a base path ending is kept where no path is asked for', async () => {
  const { origin, requests } = await serve((_, response) => answer(response, 200, {}))
  await client(`${origin}/db/`).send('POST', '')
  await client(`${origin}/db`).get('a?b=1', { query: { c: 2 } })
  assert.deepEqual(
    requests.map((request) => request.url),
    ['/db/', '/db/a?b=1&c=2'],
  )
})

test('the absolute URL of a next page is followed on the same origin only', async () => {
  const { origin, requests } = await serve((_, response) => answer(response, 200, {}))
  const { get } = client(`${origin}/api`)
  await get(`${origin}/api/orders?page=2`)
  assert.equal(requests[0]!.url, '/api/orders?page=2')
  await assert.rejects(get('http://127.0.0.1:1/api/orders'), { fault: 'invalid_response' })
  await get('//evil.example.com/x')
  assert.equal(requests[1]!.url, '/api/evil.example.com/x')
})

for (const status of [429, 502, 503, 504]) {
  test(`a GET answered with ${status} is tried three times in all`, async () => {
    const { origin, requests } = await serve((_, response) => answer(response, status, {}))
    const fault = { 429: 'rate_limited', 504: 'timeout' }[status] ?? 'unavailable'
    await assert.rejects(client(origin).get('/'), { name: 'IntegrationError', fault, status })
    assert.equal(requests.length, 3)
  })
}

test('a GET succeeds when a later attempt does', async () => {
  const { origin } = await serve((_, response, count) => answer(response, count < 3 ? 503 : 200, { count }))
  const { get, sent } = client(origin)
  assert.deepEqual((await get('/')).body, { count: 3 })
  assert.deepEqual(
    sent.map((call) => call.status),
    [503, 503, 200],
  )
})

test('a POST is not repeated on 500 to 504, a repeatable one is on 503, and both on 429', async () => {
  const { origin, requests } = await serve((request, response) => answer(response, Number(request.url!.slice(1)), {}))
  const { send } = client(origin)
  const attempts = async (path: string, repeatable: boolean) => {
    const before = requests.length
    await assert.rejects(send('POST', path, { body: {}, repeatable }))
    return requests.length - before
  }
  for (const status of [500, 502, 503, 504]) assert.equal(await attempts(`/${status}`, false), 1)
  assert.equal(await attempts('/500', true), 1)
  assert.equal(await attempts('/503', true), 3)
  assert.equal(await attempts('/429', false), 3)
})

test('a cut-off connection is tried again for GET and never for POST', async () => {
  for (const cut of ['before', 'within'] as const) {
    const { origin, requests } = await serve((request, response) => {
      request.resume()
      if (cut === 'before') request.socket.destroy()
      else response.writeHead(200, { 'content-length': '100' }).write('{"half":', () => request.socket.destroy())
    })
    const { get, send } = client(origin)
    await assert.rejects(send('POST', '/', { body: { a: 1 } }), { fault: 'unavailable', status: null })
    assert.equal(requests.length, 1)
    await assert.rejects(get('/'), {
      fault: 'unavailable',
      message: /^The connection was (reset|closed before an answer came)$/,
    })
    assert.equal(requests.length, 4)
  }
})

test('a POST is repeated where nobody was there to receive it', async () => {
  const listener = createTcpServer().listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const { port } = listener.address() as AddressInfo
  await new Promise((done) => listener.close(done))
  const { send, sent } = client(`http://127.0.0.1:${port}`)
  await assert.rejects(send('POST', '/'), { fault: 'unavailable', message: 'The connection was refused' })
  assert.deepEqual(
    sent.map((call) => call.status),
    [null, null, null],
  )
})

test('a POST is repeated where the name does not resolve', async () => {
  let asked = 0
  const resolve = async () => {
    asked++
    throw Object.assign(new Error('none'), { code: 'ENOTFOUND', syscall: 'getaddrinfo' })
  }
  const { send } = client('http://gone.example.com', {}, { allowPrivateNetwork: false, resolve })
  await assert.rejects(send('POST', '/'), { fault: 'unavailable', message: 'The host name does not exist' })
  assert.equal(asked, 3)
})

test('Retry-After is waited for', async () => {
  const { origin, requests } = await serve((_, response, count) => {
    if (count === 1) answer(response, 429, {}, { 'retry-after': '1' })
    else answer(response, 200, {})
  })
  const startedAt = performance.now()
  await client(origin).get('/')
  assert.ok(performance.now() - startedAt >= 990)
  assert.equal(requests.length, 2)
})

test('a Retry-After that asks too long, in seconds or as a date, gives up at once and tells how long', async () => {
  const { origin, requests } = await serve((request, response) => {
    const date = new Date(Date.now() + 120_000).toUTCString()
    answer(response, 429, {}, { 'retry-after': request.url === '/date' ? date : '60' })
  })
  const { get } = client(origin)
  await assert.rejects(get('/'), { fault: 'rate_limited', status: 429, retryAfterSeconds: 60 })
  await assert.rejects(get('/date'), (error: { fault: string; retryAfterSeconds: number }) => {
    assert.equal(error.fault, 'rate_limited')
    assert.ok(error.retryAfterSeconds > 115 && error.retryAfterSeconds <= 120)
    return true
  })
  assert.equal(requests.length, 2)
})

test('no attempt begins after the window for retries', async () => {
  const { origin, requests } = await serve((_, response) => answer(response, 503, {}, { 'retry-after': '1' }))
  await assert.rejects(client(origin, {}, { retry: { windowMs: 500 } }).get('/'), { retryAfterSeconds: 1 })
  assert.equal(requests.length, 1)
})

test('a time-out covers the whole answer; GET is tried again, POST is not', async () => {
  const { origin, requests } = await serve((request, response) => {
    request.resume()
    if (request.url === '/slow-body') response.writeHead(200).write('beginning')
  })
  const { get, send } = client(origin, { timeoutMs: 60 })
  await assert.rejects(send('POST', '/silent'), {
    fault: 'timeout',
    message: 'The system did not answer within 0.06 s',
  })
  assert.equal(requests.length, 1)
  await assert.rejects(get('/slow-body'), { fault: 'timeout' })
  assert.equal(requests.length, 4)
})

test('broken JSON in a success is an invalid response, in a failure the status counts', async () => {
  const { origin, requests } = await serve((request, response) => {
    const status = request.url === '/403' ? 403 : 200
    response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' }).end('<html>')
  })
  const { get } = client(origin)
  await assert.rejects(get('/'), {
    fault: 'invalid_response',
    status: 200,
    message: 'The system answered with broken JSON',
  })
  await assert.rejects(get('/403'), { fault: 'permission' })
  assert.equal(requests.length, 2)
})

test('rubbish instead of HTTP is an invalid response', async () => {
  const server = createTcpServer((socket) => socket.end('SSH-2.0-OpenSSH_9.9\r\n')).listen(0, '127.0.0.1')
  await once(server, 'listening')
  closing.push(() => server.close())
  const { get } = client(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  await assert.rejects(get('/'), { fault: 'invalid_response', message: /valid HTTP/ })
})

test('a body that cannot be decompressed is an invalid response', async () => {
  const { origin } = await serve((request, response) => {
    response.writeHead(200, { 'content-encoding': request.url!.slice(1) }).end('plain text in disguise')
  })
  const { get } = client(origin)
  for (const encoding of ['gzip', 'deflate', 'br'])
    await assert.rejects(get(`/${encoding}`), { fault: 'invalid_response' })
})

test('a body over 32 MiB is given up while it streams, compressed or not', async () => {
  const mib = Buffer.alloc(1024 * 1024, 'x')
  const bomb = gzipSync(Buffer.alloc(33 * mib.length))
  const { origin } = await serve((request, response) => {
    if (request.url === '/bomb') {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb)
      return
    }
    const more = () => {
      while (response.write(mib));
    }
    response.on('drain', more)
    more()
  })
  const { get } = client(origin)
  await assert.rejects(get('/endless'), { fault: 'invalid_response', message: /larger than 32 MiB/ })
  await assert.rejects(get('/bomb'), { fault: 'invalid_response', message: /larger than 32 MiB/ })
})

test('a redirect is not followed and tells where it leads, without its query', async () => {
  const { origin, requests } = await serve((_, response) =>
    answer(response, 302, {}, { location: 'http://127.0.0.1:1/login?token=abc' }),
  )
  const message = 'The system redirects to http://127.0.0.1:1/login (302); redirects are not followed'
  await assert.rejects(client(origin).get('/'), { fault: 'invalid_response', message, status: 302 })
  await assert.rejects(client(origin, { judge: () => null }).get('/'), { fault: 'invalid_response', message })
  assert.equal(requests.length, 2)
})

test('each status has its fault', async () => {
  const { origin } = await serve((request, response) => answer(response, Number(request.url!.slice(1)), {}))
  const expected = {
    401: 'credentials',
    403: 'permission',
    404: 'not_found',
    409: 'conflict',
    400: 'rejected',
    422: 'rejected',
    500: 'unavailable',
    504: 'timeout',
  }
  for (const [status, fault] of Object.entries(expected)) {
    await assert.rejects(client(origin).get(`/${status}`), {
      fault,
      status: Number(status),
      url: `${origin}/${status}`,
    })
  }
})

test("a vendor's explanation is part of the message, without secrets and query strings, and cut", async () => {
  const bodies = [
    { message: 'SKU  unknown' },
    { error: { detail: 'SKU unknown' } },
    { errors: [{ message: 'SKU unknown' }] },
    { error: 'SKU unknown' },
  ]
  const { origin } = await serve((request, response, count) => {
    if (request.url === '/secret')
      answer(response, 400, { message: 'key s3cr3t-key refused, see https://x.example/help?k=v now' })
    else if (request.url === '/long') answer(response, 400, { message: 'x'.repeat(9_000) })
    else answer(response, 400, bodies[count - 1])
  })
  const { get } = client(origin, {}, { secrets: ['s3cr3t-key'] })
  for (const _ of bodies) {
    await assert.rejects(get('/?token=t'), {
      message: 'The system answered 400 Bad Request: SKU unknown',
      url: `${origin}/`,
    })
  }
  await assert.rejects(get('/secret'), { message: /: key \*\*\* refused, see https:\/\/x\.example\/help now$/ })
  await assert.rejects(get('/long'), (error: Error) => error.message.length === 500)
})

test('judge reads every answer: it can fail a 200, pass a 404 and leave the rest to the status', async () => {
  const { origin, requests } = await serve((request, response) => {
    const status = Number(request.url!.slice(1))
    answer(response, status, status === 200 ? { ok: false, why: 'session over' } : {})
  })
  const { get } = client(origin, {
    judge(given) {
      if (given.status === 404) return null
      return given.body.ok === false ? { fault: 'credentials', message: given.body.why } : judgeByStatus(given)
    },
  })
  await assert.rejects(get('/200'), { fault: 'credentials', message: 'session over', status: 200 })
  assert.equal((await get('/404')).status, 404)
  await assert.rejects(get('/403'), { fault: 'permission' })
  assert.equal(requests.length, 3)
})

test('a judge that sees throttling in a 200 has the call repeated', async () => {
  const { origin } = await serve((_, response, count) => answer(response, 200, { throttled: count < 3, count }))
  const judge: HttpOptions['judge'] = ({ body }) =>
    body.throttled ? { fault: 'rate_limited', message: 'slow down' } : null
  assert.equal((await client(origin, { judge }).send('POST', '/')).body.count, 3)
})

test('each attempt is recorded with what was sent, without what is secret', async () => {
  const received: string[] = []
  const { origin } = await serve(async (request, response, count) => {
    received.push(await bodyOf(request))
    answer(response, count === 1 ? 429 : 201, {})
  })
  const { send, sent } = client(origin, { headers: { authorization: 'Bearer hunter22' } }, { secrets: ['hunter22'] })
  const body = { sku: 'A1', password: 'p', args: ['db', 'hunter22'], at: { api_key: 'k', n: 1 } }
  await send('POST', '/orders', { body, query: { page: 1, access_token: 't' } })
  assert.deepEqual(received, [JSON.stringify(body), JSON.stringify(body)])
  assert.ok(sent.every((call) => call.durationMs > 0))
  assert.deepEqual(
    sent.map(({ durationMs: _, ...call }) => call),
    [429, 201].map((status) => ({
      url: `${origin}/orders?page=1&access_token=***`,
      method: 'POST',
      body: { sku: 'A1', password: '***', args: ['db', '***'], at: { api_key: '***', n: 1 } },
      status,
    })),
  )
})

test('what is named like a secret is masked in addresses and bodies, and a place in a list is not', async () => {
  const { origin } = await serve((_, response) => answer(response, 200, {}))
  const { send, sent } = client(origin)
  const secret = [
    'passcode',
    'auth_code',
    'private-key',
    'Cookie',
    'auth',
    'sessionId',
    'token',
    'tokenValue',
    'pwd',
    'key',
    'x-key',
    'sig',
  ]
  const plain = ['page_token', 'nextToken', 'author', 'keyword', 'passenger']
  const given = Object.fromEntries([...secret, ...plain].map((name) => [name, 'given']))
  const shown = Object.fromEntries([...secret.map((name) => [name, '***']), ...plain.map((name) => [name, 'given'])])
  await send('POST', '/', { query: given, body: given })
  assert.deepEqual(Object.fromEntries(new URL(sent[0]!.url).searchParams), shown)
  assert.deepEqual(sent[0]!.body, shown)
})

test('requestsPerSecond spaces the calls of all clients of an origin', async () => {
  const { origin } = await serve((_, response) => answer(response, 200, {}))
  const clients = [client(origin, { requestsPerSecond: 20 }), client(`${origin}/other`, { requestsPerSecond: 20 })]
  const startedAt = performance.now()
  await Promise.all([...clients, ...clients, ...clients].map(({ get }) => get('/')))
  const elapsedMs = performance.now() - startedAt
  assert.ok(elapsedMs >= 240, `${elapsedMs} ms`)
})

test('an abort ends a call at once, while it waits for an answer, a retry or its turn', async () => {
  const { origin, requests } = await serve((request, response) => {
    if (request.url === '/503') answer(response, 503, {}, { 'retry-after': '20' })
  })
  const aborted = async (path: string, options: HttpOptions = {}) => {
    const stop = new AbortController()
    const reason = new Error('shutting down')
    const call = client(origin, options, { signal: stop.signal }).get(path)
    setTimeout(() => stop.abort(reason), 60)
    const startedAt = performance.now()
    await assert.rejects(call, (error) => error === reason)
    assert.ok(performance.now() - startedAt < 1_000)
  }
  await aborted('/silent')
  await aborted('/503')
  const held = client(origin, { requestsPerSecond: 0.01, timeoutMs: 20 }, { retry: { attempts: 1 } })
  await assert.rejects(held.get('/silent'), { fault: 'timeout' })
  const before = requests.length
  await aborted('/turn', { requestsPerSecond: 0.01 })
  assert.equal(requests.length, before)
})

test('private addresses are refused by default, and a trusted origin is reached all the same', async () => {
  const { origin, requests } = await serve((_, response) => answer(response, 200, {}))
  const { get, sent } = client(origin, {}, { allowPrivateNetwork: false })
  await assert.rejects(get('/'), { fault: 'rejected', message: /^This address is not allowed: 127\.0\.0\.1 / })
  assert.deepEqual([requests.length, sent.length], [0, 0])
  await client(origin, {}, { allowPrivateNetwork: false, trustedOrigins: [origin] }).get('/')
  assert.equal(requests.length, 1)
})

test('an unreadable address or header is refused without repeating it', async () => {
  assert.throws(() => client('wms.example.com?key=abc'), {
    fault: 'rejected',
    message: /^This address is not valid: (?!.*abc)/,
  })
  await assert.rejects(client('http://127.0.0.1:1', { headers: { 'x-key': 'a\nb' } }).get('/'), {
    fault: 'rejected',
    message: 'The value for header x-key holds a character that cannot be sent',
  })
})
