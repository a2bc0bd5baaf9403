import assert from 'node:assert/strict'
import type { LookupAddress } from 'node:dns'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { after, before, test } from 'node:test'
import { request } from 'undici'
import { createHttp } from '../integrations/http-client.ts'
import { forbiddenHosts } from './forbidden-hosts.fixture.ts'
import { createNetworkGuard, ForbiddenAddress } from './guard.ts'

let reached = 0
const canary = createServer((socket) => {
  reached++
  socket.end('HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n')
})
let port = 0

before(async () => {
  canary.listen(0, '127.0.0.1')
  await once(canary, 'listening')
  port = (canary.address() as AddressInfo).port
})
after(() => canary.close())

const strict = { allowPrivateNetwork: false, trustedOrigins: [] }

test('no spelling of a private, local or reserved address is let through, and none is ever connected to', async () => {
  assert.ok(forbiddenHosts.length >= 60)
  const guard = createNetworkGuard(strict)
  const http = createHttp(strict)
  // no URL names an interface; a host that does is refused even so
  for (const host of [...forbiddenHosts, '[fe80::1%25eth0]']) {
    for (const scheme of ['http', 'https']) {
      const url = `${scheme}://${host}:${port}/`
      assert.throws(() => guard.checkUrl(url), ForbiddenAddress, url)
      assert.throws(() => guard.agentFor(url), ForbiddenAddress, url)
      if (!URL.canParse(url)) continue
      await assert.rejects(http.at(url).get('/'), { fault: 'rejected', message: /^This address is not allowed: / }, url)
    }
  }
  assert.equal(reached, 0)
})

test('public addresses and names are let through', () => {
  const guard = createNetworkGuard(strict)
  const hosts = [
    'example.com',
    'localhost.example.com',
    '8.8.8.8',
    '172.32.0.1',
    '172.15.0.1',
    '100.63.0.1',
    '100.128.0.1',
  ]
  for (const host of [
    ...hosts,
    '11.0.0.1',
    '169.253.0.1',
    '223.255.255.255',
    '[2606:4700::1111]',
    '[64:ff9b::808:808]',
  ]) {
    guard.checkUrl(`https://${host}/hooks?a=1`)
  }
})

test('other schemes, credentials in the URL and unreadable URLs are refused even where everything is allowed', () => {
  const guard = createNetworkGuard({ allowPrivateNetwork: true, trustedOrigins: ['http://example.com'] })
  for (const url of [
    'ftp://example.com',
    'file:///etc/passwd',
    'data:,x',
    'http://me:pw@example.com',
    'http://me@example.com',
  ]) {
    assert.throws(() => guard.checkUrl(url), ForbiddenAddress, url)
  }
  assert.throws(() => guard.checkUrl('example.com'), { message: 'This address is not allowed: it is not a valid URL' })
})

test('private addresses are reached where the private network is allowed, or the origin is trusted', async () => {
  const origin = `http://127.0.0.1:${port}`
  const before = reached
  await request(origin, { dispatcher: createNetworkGuard({ ...strict, allowPrivateNetwork: true }).agentFor(origin) })
  const trusting = createNetworkGuard({ ...strict, trustedOrigins: [origin] })
  await request(origin, { dispatcher: trusting.agentFor(origin) })
  assert.equal(reached, before + 2)
  assert.throws(() => trusting.checkUrl(`http://127.0.0.1:${port + 1}`), ForbiddenAddress)
  assert.throws(() => trusting.checkUrl(`https://127.0.0.1:${port}`), ForbiddenAddress)
})

const publicAddress = { address: '93.184.215.14', family: 4 }
const loopback = { address: '127.0.0.1', family: 4 }

test('a name that resolves to a forbidden address, even as one of many, is refused when connecting', async () => {
  const before = reached
  const answers: LookupAddress[][] = [
    [loopback],
    [publicAddress, loopback],
    [publicAddress, { address: '::1', family: 6 }],
    [{ address: '::ffff:10.0.0.1', family: 6 }],
    [{ address: 'fe80::1%eth0', family: 6 }],
  ]
  for (const addresses of answers) {
    const url = `http://inside.example.com:${port}/`
    const guard = createNetworkGuard({ ...strict, resolve: async () => addresses })
    guard.checkUrl(url)
    const refusal = {
      name: 'ForbiddenAddress',
      message: /inside\.example\.com leads into a private or reserved network$/,
    }
    await assert.rejects(request(url, { dispatcher: guard.agentFor(url) }), refusal)
  }
  assert.equal(reached, before)
})

test('a name that the system itself resolves to loopback is refused', async () => {
  const { lookup } = createNetworkGuard(strict)
  for (const all of [false, true]) {
    const answer = await new Promise((done) => lookup('localhost', { all }, (error, address) => done(error ?? address)))
    assert.ok(answer instanceof ForbiddenAddress)
  }
})

test('a name that turns to a forbidden address after it was checked is refused when connecting', async () => {
  const before = reached
  const answers = [publicAddress, loopback]
  const guard = createNetworkGuard({ ...strict, resolve: async () => [answers.shift()!] })
  const lookup = () =>
    new Promise((done) => guard.lookup('turning.example.com', {}, (error, address) => done(error ?? address)))
  assert.equal(await lookup(), publicAddress.address)
  assert.ok((await lookup()) instanceof ForbiddenAddress)

  let calls = 0
  const http = createHttp({
    ...strict,
    resolve: async () => {
      calls++
      return [loopback]
    },
    record: () => assert.fail('nothing was sent'),
  })
  await assert.rejects(http.at(`http://turning.example.com:${port}`).get('/'), {
    fault: 'rejected',
    message: 'This address is not allowed: turning.example.com leads into a private or reserved network',
  })
  assert.equal(calls, 1)
  assert.equal(reached, before)
})

test('a connection opened by a client that may is not lent to one that may not', async () => {
  const origin = `http://canary.example.com:${port}`
  const resolve = async () => [loopback]
  await assert.rejects(request(origin, { dispatcher: createNetworkGuard({ ...strict, resolve }).agentFor(origin) }))
  const open = createNetworkGuard({ ...strict, allowPrivateNetwork: true }).agentFor(origin)
  const guarded = createNetworkGuard(strict).agentFor(origin)
  assert.notEqual(open, guarded)
  assert.equal(guarded, createNetworkGuard(strict).agentFor('https://example.com'))
})

test('lookup answers as dns.lookup does, for one address and for all', async () => {
  const guard = createNetworkGuard({ ...strict, resolve: async () => [publicAddress] })
  const one = new Promise((done) => guard.lookup('example.com', {}, (...answer) => done(answer)))
  assert.deepEqual(await one, [null, publicAddress.address, 4])
  const all = new Promise((done) => guard.lookup('example.com', { all: true }, (...answer) => done(answer)))
  assert.deepEqual(await all, [null, [publicAddress]])
})
