import assert from 'node:assert/strict'
import type { LookupAddress } from 'node:dns'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { after, before, test } from 'node:test'
import { request } from 'undici'
import { createHttp } from '../integrations/http-client.ts'
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

const forbiddenHosts = [
  ...['127.0.0.1', '127.0.0.1.', '127.1', '127.0.1', '127.255.255.254', '2130706433', '0x7f000001', '0x7f.1'],
  ...['0177.0.0.1', '017700000001', '0x7f.0x0.0x0.0x1', '127.0.0.0x1', '%31%32%37.0.0.1', '127。0。0。1', '①②⑦.0.0.1'],
  ...['0.0.0.0', '0', '0.0.0.1', '00', '0x0', '10.0.0.1', '10.255.255.255', '0xa000001', '012.0.0.1', '167772161'],
  ...[
    '172.16.0.1',
    '172.31.255.255',
    '192.168.0.1',
    '3232235521',
    '0xc0a80001',
    '192.168.1',
    '100.64.0.1',
    '100.127.255.255',
  ],
  ...['169.254.169.254', '2852039166', '0xa9fea9fe', '0251.0376.0251.0376', '169.254.0.1', '168.63.129.16'],
  ...['192.0.0.192', '192.0.2.1', '198.18.0.1', '198.19.255.255', '198.51.100.7', '203.0.113.9', '192.88.99.1'],
  ...['224.0.0.1', '239.255.255.255', '240.0.0.1', '255.255.255.255', '0xffffffff'],
  ...['[::1]', '[::]', '[0:0:0:0:0:0:0:1]', '[0000::0001]', '[::127.0.0.1]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]'],
  ...['[0:0:0:0:0:ffff:10.0.0.1]', '[::ffff:a9fe:a9fe]', '[::ffff:0:127.0.0.1]', '[fe80::1]', '[fe80::1%25eth0]'],
  ...['[febf::1]', '[fec0::1]', '[fc00::1]', '[fd00:ec2::254]', '[fdff::1]', '[ff02::1]', '[64:ff9b::127.0.0.1]'],
  ...['[64:ff9b::a9fe:a9fe]', '[64:ff9b:1::1]', '[2002:7f00:1::]', '[2002:a00:1::1]', '[2002:c0a8:101::1]'],
  ...['[2001:0:4136:e378:8000:63bf:80ff:fffe]', '[2001:db8::1]', '[3fff::1]', '[100::1]', '[5f00::1]'],
  ...['localhost', 'LOCALHOST', 'localhost.', 'foo.localhost', 'a.b.localhost.', 'ⓛocalhost', 'lo%63alhost'],
]

test('no spelling of a private, local or reserved address is let through, and none is ever connected to', async () => {
  assert.ok(forbiddenHosts.length >= 60)
  const guard = createNetworkGuard(strict)
  const http = createHttp(strict)
  for (const host of forbiddenHosts) {
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
