import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { eventually } from '../eventually.fixture.ts'
import { compileCheck } from '../http/validation.ts'
import { emit } from './emit.ts'
import { deleteEndpoint, getEndpoint, rotateSecret, updateEndpoint } from './endpoints.ts'
import { eventTypes } from './event-types.ts'
import { getEvent, listEvents } from './events.ts'
import { openReceiver, openRig, orderUpdated, type Received } from './rig.fixture.ts'

const rig = await openRig()
after(rig.closeAll)
const { db, vault, source, organization } = rig

const verify = (received: Received, secret: string, prefix = 'webhook') =>
  new Webhook(secret).verify(received.body, {
    'webhook-id': received.headers[`${prefix}-id`] as string,
    'webhook-timestamp': received.headers[`${prefix}-timestamp`] as string,
    'webhook-signature': received.headers[`${prefix}-signature`] as string,
  }) as Record<string, unknown>

test('a message carries the envelope and a signature that an independent library accepts', async (t) => {
  const receiver = await openReceiver()
  t.after(receiver.close)
  const { secret, id } = await rig.endpoint(`${receiver.url}/hooks`)
  t.after(() => deleteEndpoint(db, organization.id, id))
  const delivery = rig.deliver()
  t.after(delivery.stop)
  await emit(db, source, [orderUpdated('ö-1', { id: 'ö-1', name: '“Zoë” 🚚' })])
  await receiver.count(1)
  const received = receiver.received[0]!
  const message = {
    connection_id: source.connectionId,
    customer_id: 'customer-1',
    event_type: 'order.updated',
    integration_name: 'sandbox',
    integration_type: 'wms',
    data: { id: 'ö-1', name: '“Zoë” 🚚' },
    previous_attributes: { status: 'open' },
  }
  assert.deepEqual(verify(received, secret), message)
  assert.deepEqual(verify(received, secret, 'svix'), message)
  assert.equal(received.path, '/hooks')
  assert.equal(received.headers['content-type'], 'application/json')
  assert.throws(() => verify({ ...received, body: `${received.body} ` }, secret))
})

test('while a secret is rotated the old and the new one verify; after a day only the new one', async (t) => {
  const receiver = await openReceiver()
  t.after(receiver.close)
  const { secret: old, id } = await rig.endpoint(receiver.url)
  t.after(() => deleteEndpoint(db, organization.id, id))
  let aheadMs = 0
  const delivery = rig.deliver({ now: () => new Date(Date.now() + aheadMs) })
  t.after(delivery.stop)
  const { secret } = await rotateSecret(db, vault, organization.id, id)
  await emit(db, source, [orderUpdated('1')])
  await receiver.count(1)
  const during = receiver.received[0]!
  assert.ok(verify(during, old))
  assert.ok(verify(during, secret))
  aheadMs = 24 * 3_600_000
  await emit(db, source, [orderUpdated('2')])
  await receiver.count(2)
  const later = receiver.received[1]!
  assert.equal(String(later.headers['webhook-signature']).split(' ').length, 1)
  const { 'webhook-id': messageId, 'webhook-timestamp': at, 'webhook-signature': signature } = later.headers
  assert.equal(signature, new Webhook(secret).sign(String(messageId), new Date(Number(at) * 1000), later.body))
})

test('a secret that is rotated twice within a day leaves each old one valid for its day', async (t) => {
  const receiver = await openReceiver()
  t.after(receiver.close)
  const { secret: first, id } = await rig.endpoint(receiver.url)
  t.after(() => deleteEndpoint(db, organization.id, id))
  const delivery = rig.deliver()
  t.after(delivery.stop)
  const { secret: second } = await rotateSecret(db, vault, organization.id, id)
  const { secret: third } = await rotateSecret(db, vault, organization.id, id)
  await emit(db, source, [orderUpdated('1')])
  await receiver.count(1)
  for (const secret of [first, second, third]) assert.ok(verify(receiver.received[0]!, secret))
})

test('an event goes to the endpoints that want its type, and to none while the connection is switched off', async (t) => {
  const receiver = await openReceiver()
  t.after(receiver.close)
  const all = await rig.endpoint(`${receiver.url}/all`)
  const orders = await rig.endpoint(`${receiver.url}/orders`, ['order.updated'])
  const bills = await rig.endpoint(`${receiver.url}/bills`, ['bill.created'])
  for (const { id } of [all, orders, bills]) t.after(() => deleteEndpoint(db, organization.id, id))
  const connectionId = crypto.randomUUID()
  await db
    .insertInto('connections')
    .values({
      id: connectionId,
      organization_id: organization.id,
      integration_type: 'wms',
      integration_name: 'sandbox',
      host: '',
      token_hash: Buffer.from(connectionId),
      token_sealed: Buffer.alloc(0),
      credentials_sealed: Buffer.alloc(0),
      webhooks_disabled: true,
    })
    .execute()
  await emit(db, { ...source, connectionId }, [orderUpdated('silent')])
  const delivery = rig.deliver()
  t.after(delivery.stop)
  await emit(db, source, [orderUpdated('1')])
  await receiver.count(2)
  assert.deepEqual(receiver.received.map(({ path }) => path).sort(), ['/all', '/orders'])
  const ids = new Set(receiver.received.map(({ headers }) => headers['webhook-id']))
  assert.equal(ids.size, 1)
  assert.deepEqual((await listEvents(db, organization.id, { resource_id: 'silent' }, null, 10)).events, [])
})

test('a slot that is free again is taken at once, not at the next look for what is due', async (t) => {
  const receiver = await openReceiver()
  t.after(receiver.close)
  const { id } = await rig.endpoint(receiver.url)
  t.after(() => deleteEndpoint(db, organization.id, id))
  await emit(
    db,
    source,
    ['1', '2', '3', '4'].map((order) => orderUpdated(order)),
  )
  const delivery = rig.deliver({ limits: { slots: 1 }, pollMs: 3_600_000 })
  t.after(delivery.stop)
  await receiver.count(4)
})

test('what is rolled back is never told', async (t) => {
  const receiver = await openReceiver()
  t.after(receiver.close)
  const { id } = await rig.endpoint(receiver.url)
  t.after(() => deleteEndpoint(db, organization.id, id))
  const delivery = rig.deliver()
  t.after(delivery.stop)
  await assert.rejects(
    db.transaction().execute(async (trx) => {
      await emit(trx, source, [orderUpdated('undone')])
      throw new Error('undone')
    }),
  )
  await emit(db, source, [orderUpdated('done')])
  await receiver.count(1)
  assert.deepEqual(
    receiver.received.map(({ body }) => JSON.parse(body).data.id),
    ['done'],
  )
})

test('the access token of a new connection is in its message and nowhere in the database', async (t) => {
  const receiver = await openReceiver()
  t.after(receiver.close)
  const { secret, id } = await rig.endpoint(receiver.url)
  t.after(() => deleteEndpoint(db, organization.id, id))
  const delivery = rig.deliver({ openAccessToken: async (connectionId) => `at_of_${connectionId}` })
  t.after(delivery.stop)
  await emit(db, source, [
    { type: 'connection.created', resourceId: null, data: { created_date: '2026-11-20T08:15:30.123Z' } },
  ])
  await receiver.count(1)
  const { data } = verify(receiver.received[0]!, secret)
  assert.deepEqual(data, {
    created_date: '2026-11-20T08:15:30.123Z',
    access_token: `at_of_${source.connectionId}`,
  })
  const { rows } = await rig.pool.query('select string_agg(e::text, $1) as text from webhook_events e', [' '])
  assert.ok(!rows[0].text.includes('at_of_'))
  const dump = await rig.pool.query('select string_agg(e::text, $1) as text from webhook_endpoints e', [' '])
  assert.ok(!dump.rows[0].text.includes(secret.slice('whsec_'.length)))
})

test('a large event is thin, and its message is small enough to be taken', async (t) => {
  const receiver = await openReceiver()
  t.after(receiver.close)
  const { secret, id } = await rig.endpoint(receiver.url)
  t.after(() => deleteEndpoint(db, organization.id, id))
  const delivery = rig.deliver()
  t.after(delivery.stop)
  await emit(db, source, [orderUpdated('large', { id: 'large', note: 'x'.repeat(256 * 1024) })])
  await receiver.count(1)
  const received = receiver.received[0]!
  const message = verify(received, secret)
  assert.deepEqual(message.data, { id: 'large' })
  assert.equal(message.data_truncated, true)
  assert.equal(message.data_url, `https://crossdock.example/webhook-events/${received.headers['webhook-id']}/data`)
  assert.ok(received.body.length < 1000)
  const { schema } = eventTypes.find(({ event_type }) => event_type === 'order.updated')!
  assert.equal(compileCheck(schema)(message), null)
})

test('the history keeps status, the first 2 kB of the answer and the next attempt', async (t) => {
  const receiver = await openReceiver((_, response) => void response.writeHead(500).end(`no\0${'é'.repeat(100_000)}`))
  t.after(receiver.close)
  const { id } = await rig.endpoint(receiver.url)
  t.after(() => deleteEndpoint(db, organization.id, id))
  const delivery = rig.deliver()
  t.after(delivery.stop)
  await emit(db, source, [orderUpdated('1')])
  await receiver.count(1)
  await delivery.stop()
  const event = await getEvent(db, organization.id, receiver.received[0]!.headers['webhook-id'] as string)
  const [sent] = event.deliveries
  assert.equal(event.status, 'pending')
  assert.equal(sent?.attempts.length, 1)
  assert.equal(sent?.attempts[0]?.status_code, 500)
  assert.equal(sent?.attempts[0]?.error, 'Answered 500')
  // what cannot be kept, and the character that was cut in two, have become U+FFFD
  assert.equal(sent!.attempts[0]!.answer, `no\uFFFD${'é'.repeat(1022)}\uFFFD`)
  const waitMs = Date.parse(sent!.next_attempt_at!) - Date.parse(sent!.attempts[0]!.attempted_at)
  assert.ok(waitMs > 4_000 && waitMs < 6_000, `next attempt after ${waitMs} ms`)
})

test('what a receiver asks for with Retry-After is honoured, and its other messages wait as well', async (t) => {
  const receiver = await openReceiver((_, response) => void response.writeHead(429, { 'retry-after': '120' }).end())
  t.after(receiver.close)
  const { id } = await rig.endpoint(receiver.url)
  t.after(() => deleteEndpoint(db, organization.id, id))
  const delivery = rig.deliver()
  t.after(delivery.stop)
  await emit(db, source, [orderUpdated('1')])
  await receiver.count(1)
  const eventId = receiver.received[0]!.headers['webhook-id'] as string
  const { deliveries } = await settled(eventId)
  const waitMs = Date.parse(deliveries[0]!.next_attempt_at!) - receiver.received[0]!.at
  assert.ok(waitMs > 119_000 && waitMs < 122_000, `next attempt after ${waitMs} ms`)
  const other = await openReceiver()
  t.after(other.close)
  const { id: otherId } = await rig.endpoint(other.url)
  t.after(() => deleteEndpoint(db, organization.id, otherId))
  await emit(db, source, [orderUpdated('2')])
  await other.count(1)
  await delivery.stop()
  assert.equal(receiver.received.length, 1)
})

test('410 disables the endpoint with a reason, and nothing more is sent to it until it is enabled', async (t) => {
  let status = 410
  const receiver = await openReceiver((_, response) => void response.writeHead(status).end())
  t.after(receiver.close)
  const { id } = await rig.endpoint(receiver.url)
  t.after(() => deleteEndpoint(db, organization.id, id))
  const delivery = rig.deliver()
  t.after(delivery.stop)
  await emit(db, source, [orderUpdated('1')])
  await receiver.count(1)
  const event = await settled(receiver.received[0]!.headers['webhook-id'] as string)
  assert.equal(event.status, 'failed')
  const disabled = await getEndpoint(db, organization.id, id)
  assert.equal(disabled.status, 'disabled')
  assert.match(disabled.disabled_reason!, /410/)
  await emit(db, source, [orderUpdated('2')])
  status = 200
  const enabled = await updateEndpoint(db, organization.id, id, { status: 'enabled' })
  assert.equal(enabled.disabled_reason, null)
  await emit(db, source, [orderUpdated('3')])
  await receiver.count(2)
  assert.equal(JSON.parse(receiver.received[1]!.body).data.id, '3')
})

test('no answer in time, a reset, a refused connection and a redirect are failures that are told', async (t) => {
  const other = await openReceiver()
  t.after(other.close)
  const receiver = await openReceiver(({ path }, response) => {
    if (path === '/reset') response.socket!.resetAndDestroy()
    if (path === '/redirect') response.writeHead(307, { location: other.url }).end()
  })
  t.after(receiver.close)
  const closed = await openReceiver()
  await closed.close()
  const urls = [`${receiver.url}/hang`, `${receiver.url}/reset`, `${receiver.url}/redirect`, `${closed.url}/refused`]
  for (const url of urls) {
    const { id } = await rig.endpoint(url)
    t.after(() => deleteEndpoint(db, organization.id, id))
  }
  const delivery = rig.deliver({ timeoutMs: 300 })
  t.after(delivery.stop)
  await emit(db, source, [orderUpdated('1')])
  await receiver.count(3)
  const { deliveries } = await settled(receiver.received[0]!.headers['webhook-id'] as string)
  const errors = Object.fromEntries(deliveries.map(({ url, attempts }) => [new URL(url).pathname, attempts[0]?.error]))
  assert.deepEqual(errors, {
    '/hang': 'No answer within 0.3 s',
    '/reset': 'The connection was reset',
    '/redirect': 'Answered 307: redirects are not followed',
    '/refused': 'The connection was refused',
  })
  assert.equal(other.received.length, 0)
})

test('receivers that hang do not slow one that works', async (t) => {
  const hanging = await openReceiver(() => {})
  t.after(hanging.close)
  const working = await openReceiver()
  t.after(working.close)
  for (let i = 0; i < 20; i++) {
    const { id } = await rig.endpoint(`${hanging.url}/${i}`)
    t.after(() => deleteEndpoint(db, organization.id, id))
  }
  const { id } = await rig.endpoint(working.url)
  t.after(() => deleteEndpoint(db, organization.id, id))
  const delivery = rig.deliver({ timeoutMs: 250, limits: { slots: 32 }, schedule: [0, 100, 100, 100, 100, 100, 100] })
  t.after(delivery.stop)
  await emit(
    db,
    source,
    Array.from({ length: 30 }, (_, i) => orderUpdated(`fill ${i}`)),
  )
  await hanging.count(100)
  const before = working.received.length
  const begun = Date.now()
  await emit(
    db,
    source,
    Array.from({ length: 50 }, (_, i) => orderUpdated(`new ${i}`)),
  )
  await working.count(Math.max(80, before + 50))
  assert.ok(Date.now() - begun < 4_000, `took ${Date.now() - begun} ms`)
})

test('receivers that hang from the first message on hold one slot each', async (t) => {
  const hanging = await openReceiver(() => {})
  const working = await openReceiver()
  for (const { close } of [hanging, working]) t.after(close)
  const endpoints = await Promise.all(Array.from({ length: 12 }, (_, i) => rig.endpoint(`${hanging.url}/${i}`)))
  for (const { id } of endpoints) t.after(() => deleteEndpoint(db, organization.id, id))
  await emit(
    db,
    source,
    Array.from({ length: 10 }, (_, i) => orderUpdated(`hangs ${i}`)),
  )
  const delivery = rig.deliver({ limits: { slots: 20 } })
  t.after(delivery.stop)
  await hanging.count(12)
  const { id } = await rig.endpoint(working.url, ['order.created'])
  t.after(() => deleteEndpoint(db, organization.id, id))
  await emit(db, source, [{ ...orderUpdated('goes'), type: 'order.created' }])
  const begun = Date.now()
  await working.count(1)
  assert.ok(Date.now() - begun < 4_000, `took ${Date.now() - begun} ms`)
})

test('an endpoint is sent no more at a time and per second than its limits say', async (t) => {
  let open = 0
  let most = 0
  const receiver = await openReceiver((_, response) => {
    most = Math.max(most, ++open)
    setTimeout(() => {
      open--
      response.end()
    }, 20)
  })
  t.after(receiver.close)
  const { id } = await rig.endpoint(receiver.url)
  t.after(() => deleteEndpoint(db, organization.id, id))
  await emit(
    db,
    source,
    Array.from({ length: 120 }, (_, i) => orderUpdated(`${i}`)),
  )
  const delivery = rig.deliver({ limits: { perEndpoint: 4, perEndpointPerSecond: 60 } })
  t.after(delivery.stop)
  await receiver.count(120)
  const times = receiver.received.map(({ at }) => at)
  assert.equal(most, 4)
  assert.ok(times[119]! - times[0]! >= 900, `all within ${times[119]! - times[0]!} ms`)
})

test('a deliverer that stops hands back what it has not finished, and another sends it at once', async (t) => {
  let hang = true
  const receiver = await openReceiver((_, response) => void (hang || response.end()))
  t.after(receiver.close)
  const { id } = await rig.endpoint(receiver.url)
  t.after(() => deleteEndpoint(db, organization.id, id))
  const first = rig.deliver({ graceMs: 100 })
  await emit(db, source, [orderUpdated('1')])
  await receiver.count(1)
  await first.stop()
  hang = false
  const second = rig.deliver()
  t.after(second.stop)
  await receiver.count(2)
  const [one, two] = receiver.received
  assert.equal(one!.headers['webhook-id'], two!.headers['webhook-id'])
  assert.equal((await settled(two!.headers['webhook-id'] as string)).deliveries[0]!.attempts.length, 1)
})

/** The event once nothing of it is under way. */
async function settled(id: string) {
  await eventually(async () => {
    const { rows } = await rig.pool.query(
      "select count(*)::integer as open from webhook_deliveries where event_id = $1 and (leased_until is not null or due_at = '-infinity')",
      [id],
    )
    return rows[0].open === 0
  })
  return getEvent(db, organization.id, id)
}
