import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sql } from 'kysely'
import { openDoor } from '../http/door.fixture.ts'
import { createOrganization } from '../organizations/organizations.ts'
import { Vault } from '../secrets.ts'
import { type EventOrigin, emit } from './emit.ts'
import { expireEvents } from './retention.ts'
import { orderUpdated, rigKey, strictGuard } from './rig.fixture.ts'
import { webhookRoutes } from './routes.ts'

const publicUrl = 'https://crossdock.example'
let door: Awaited<ReturnType<typeof openDoor>>
let source: EventOrigin
before(async () => {
  door = await openDoor({
    routes: (app, db) => webhookRoutes(app, { db, vault: new Vault([rigKey]), guard: strictGuard, publicUrl }),
  })
  source = {
    organizationId: door.organization.id,
    connectionId: crypto.randomUUID(),
    customerId: null,
    integrationName: 'sandbox',
    integrationType: 'wms',
    webhooksDisabled: false,
  }
})
after(() => door.close())

const create = async (body: object = {}) => {
  const answer = await door.call('POST', '/webhook-endpoints', { json: { url: 'https://1.1.1.1/hooks', ...body } })
  assert.equal(answer.status, 200, answer.text)
  return answer.body.webhook_endpoint
}
const remove = (id: string) => door.call('DELETE', `/webhook-endpoints/${id}`)

test('an endpoint is created, read with its secret, listed without, changed, and deleted', async () => {
  const created = await create({ description: 'Orders', event_types: ['order.created'] })
  assert.match(created.secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
  const read = await door.call('GET', `/webhook-endpoints/${created.id}`)
  assert.deepEqual(read.body.webhook_endpoint, created)
  const { secret, ...shown } = created
  const listed = await door.call('GET', '/webhook-endpoints')
  assert.deepEqual(listed.body, { data: [shown], next_token: null, total_count: 1 })
  const changed = await door.call('PATCH', `/webhook-endpoints/${created.id}`, { json: { status: 'disabled' } })
  assert.deepEqual(changed.body.webhook_endpoint, { ...shown, status: 'disabled' })
  const rotated = await door.call('POST', `/webhook-endpoints/${created.id}/rotate-secret`)
  assert.notEqual(rotated.body.webhook_endpoint.secret, secret)
  assert.deepEqual((await remove(created.id)).body, { id: created.id, object: 'webhook_endpoint', deleted: true })
  assert.equal((await door.call('GET', `/webhook-endpoints/${created.id}`)).status, 404)
})

test('faults of an endpoint are told at their field', async () => {
  const wrong = await door.call('POST', '/webhook-endpoints', { json: { event_types: ['order.eaten'], color: 'red' } })
  assert.equal(wrong.status, 422)
  assert.deepEqual(Object.keys(wrong.body.detail.json).sort(), ['color', 'event_types', 'url'])
  for (const url of ['http://127.0.0.1/', 'http://[::1]/', 'ftp://1.1.1.1/', 'not a url', 'https://user@1.1.1.1/']) {
    const refused = await door.call('POST', '/webhook-endpoints', { json: { url } })
    assert.equal(refused.status, 422, url)
    assert.equal(refused.body.detail.json.url.length, 1)
  }
  const { id } = await create()
  const refused = await door.call('PATCH', `/webhook-endpoints/${id}`, { json: { url: 'http://10.0.0.1/' } })
  assert.deepEqual(Object.keys(refused.body.detail.json), ['url'])
  await remove(id)
})

test('endpoints and events of another organization are as unknown as any other id', async () => {
  const { api_key: key } = await createOrganization(door.db, 'Other')
  const { id } = await create()
  await emit(door.db, source, [orderUpdated('foreign')])
  const found = await door.call('GET', '/webhook-events?resource_id=foreign')
  const eventId = found.body.data[0].id
  const ids = ['no-such', crypto.randomUUID(), id, eventId]
  for (const each of ids) {
    for (const [method, path] of [
      ['GET', `/webhook-endpoints/${each}`],
      ['DELETE', `/webhook-endpoints/${each}`],
      ['POST', `/webhook-endpoints/${each}/rotate-secret`],
      ['POST', `/webhook-endpoints/${each}/test`],
      ['POST', `/webhook-endpoints/${each}/recover`],
      ['GET', `/webhook-events/${each}`],
      ['GET', `/webhook-events/${each}/data`],
      ['POST', `/webhook-events/${each}/redeliver`],
    ] as const) {
      const answer = await door.call(method, path, { key })
      assert.equal(answer.status, 404, `${method} ${path}`)
      assert.equal(answer.body.id, each)
    }
  }
  assert.deepEqual((await door.call('GET', '/webhook-events', { key })).body.data, [])
  await remove(id)
})

test('events are listed newest first, page by page, by every filter', async () => {
  const { id } = await create()
  const others = { ...source, connectionId: crypto.randomUUID() }
  for (let i = 0; i < 5; i++) await emit(door.db, others, [orderUpdated(`listed ${i}`)])
  await emit(door.db, others, [{ type: 'bill.created', resourceId: 'b', data: { id: 'b' } }])
  const list = async (query: string) =>
    (await door.call('GET', `/webhook-events?connection_id=${others.connectionId}&${query}`)).body
  const all = await list('')
  assert.equal(all.total_count, 6)
  const times = all.data.map((event: { created_at: string }) => event.created_at)
  assert.deepEqual(times, times.toSorted().toReversed())
  assert.equal(all.data[0].status, 'pending')
  assert.equal(all.data[0].deliveries[0].webhook_endpoint_id, id)
  const paged = []
  for (let token = ''; token !== null; ) {
    const page = await list(`limit=4&page_token=${token}`)
    paged.push(...page.data)
    token = page.next_token
  }
  assert.deepEqual(paged, all.data)
  assert.equal((await list('event_type=bill.created')).total_count, 1)
  assert.equal((await list('resource_id=listed%203')).total_count, 1)
  assert.equal((await list('status=pending')).total_count, 6)
  for (const status of ['failed', 'succeeded', 'unsent']) assert.equal((await list(`status=${status}`)).total_count, 0)
  const { created_at } = all.data[2]
  const upTo = await list(`end_time=${created_at}`)
  const since = await list(`start_time=${created_at}`)
  assert.ok(upTo.data.every((event: { created_at: string }) => event.created_at <= created_at))
  assert.ok(since.data.every((event: { created_at: string }) => event.created_at >= created_at))
  assert.deepEqual((await door.call('GET', '/webhook-events?connection_id=odd')).body.data, [])
  await remove(id)
  assert.equal((await list('status=unsent')).total_count, 6)
})

test('a page of events that would grow beyond 8 MiB ends early and goes on with its next_token', async () => {
  const endpoints = [await create(), await create()]
  const others = { ...source, connectionId: crypto.randomUUID() }
  await emit(
    door.db,
    others,
    Array.from({ length: 40 }, (_, i) => orderUpdated(`large ${i}`)),
  )
  const attempt = { attempted_at: '2026-01-01T00:00:00.000Z', status_code: 500, error: 'Answered 500', duration_ms: 10 }
  // control characters take six bytes each in JSON
  const attempts = JSON.stringify(Array(10).fill({ ...attempt, answer: '\u0001'.repeat(2048) }))
  await sql`update webhook_deliveries set attempts = ${attempts}
    where event_id in (select id from webhook_events where connection_id = ${others.connectionId})`.execute(door.db)
  const list = (token: string) =>
    door.call('GET', `/webhook-events?connection_id=${others.connectionId}&limit=1000&page_token=${token}`)
  const first = await list('')
  assert.ok(first.text.length <= 8 * 1024 * 1024 && first.text.length > 7 * 1024 * 1024, `${first.text.length} bytes`)
  const second = await list(first.body.next_token)
  assert.equal(second.body.next_token, null)
  assert.equal(first.body.total_count, first.body.data.length)
  const ids = [first, second].flatMap(({ body }) => body.data.map(({ id }: { id: string }) => id))
  assert.equal(new Set(ids).size, 40)
  await sql`update webhook_deliveries set attempts = (select jsonb_agg(each) from jsonb_array_elements(attempts) each,
    generate_series(1, 50)) where event_id = any(${ids.slice(0, 2)}::uuid[])`.execute(door.db)
  const alone = await list('')
  assert.deepEqual([alone.body.data.length, alone.body.data[0].deliveries[1].attempts.length], [1, 500])
  assert.equal((await list(alone.body.next_token)).body.data[0].id, ids[1])
  for (const { id } of endpoints) await remove(id)
})

test('a test message goes to its endpoint alone, also where it is sent again', async () => {
  const one = await create()
  const other = await create()
  const sent = await door.call('POST', `/webhook-endpoints/${one.id}/test`)
  assert.equal(sent.status, 200)
  const { id, deliveries, payload } = sent.body.webhook_event
  assert.equal(payload.event_type, 'webhook-endpoint.test')
  assert.deepEqual(
    deliveries.map((delivery: { webhook_endpoint_id: string }) => delivery.webhook_endpoint_id),
    [one.id],
  )
  const again = await door.call('POST', `/webhook-events/${id}/redeliver`)
  assert.equal(again.body.webhook_event.deliveries.length, 1)
  const elsewhere = await door.call('POST', `/webhook-events/${id}/redeliver`, {
    json: { webhook_endpoint_id: other.id },
  })
  assert.equal(elsewhere.body.webhook_event.deliveries.length, 2)
  await door.call('PATCH', `/webhook-endpoints/${one.id}`, { json: { status: 'disabled' } })
  assert.equal((await door.call('POST', `/webhook-endpoints/${one.id}/test`)).status, 409)
  await remove(one.id)
  await remove(other.id)
})

test('recover enables the endpoint and counts what happened while it was disabled', async () => {
  const { id } = await create({ event_types: ['order.updated'] })
  await door.call('PATCH', `/webhook-endpoints/${id}`, { json: { status: 'disabled' } })
  await emit(door.db, source, [orderUpdated('missed'), { type: 'bill.created', resourceId: 'b', data: {} }])
  const recovered = await door.call('POST', `/webhook-endpoints/${id}/recover`)
  assert.deepEqual(recovered.body, { id, object: 'webhook_endpoint', recovered: 1 })
  assert.equal((await door.call('GET', `/webhook-endpoints/${id}`)).body.webhook_endpoint.status, 'enabled')
  const later = await door.call('POST', `/webhook-endpoints/${id}/recover`, { json: { since: '2999-01-01T00:00:00Z' } })
  assert.equal(later.body.recovered, 0)
  await remove(id)
})

test('a large event is downloaded whole with an address that needs no key', async () => {
  const note = 'x'.repeat(256 * 1024)
  await emit(door.db, source, [orderUpdated('whole', { id: 'whole', note })])
  const [event] = (await door.call('GET', '/webhook-events?resource_id=whole')).body.data
  const { download_url } = (await door.call('GET', `/webhook-events/${event.id}/data`)).body
  assert.ok(download_url.startsWith(`${publicUrl}/webhook-events/${event.id}/`))
  const whole = await door.call('GET', download_url.slice(publicUrl.length), { key: null })
  assert.equal(whole.body.data.note, note)
  const forged = await door.call('GET', `/webhook-events/${event.id}/download?token=AAAA`, { key: null })
  assert.equal(forged.status, 404)
})

test('each type of event comes with a schema and an example', async () => {
  const { body } = await door.call('GET', '/webhook-event-types')
  const order = body.data.find((type: { event_type: string }) => type.event_type === 'order.shipment.created')
  assert.ok(order.schema.anyOf[0].properties.data.properties.shipments)
  assert.deepEqual(order.example.previous_attributes, { shipments: [] })
})

test('after 30 days an event is gone with its deliveries, and a day after a rotation the old secret', async () => {
  const { id } = await create()
  await door.call('POST', `/webhook-endpoints/${id}/rotate-secret`)
  await emit(door.db, source, [orderUpdated('old')])
  const kept = async () => (await door.call('GET', '/webhook-events')).body.data
  const events = await kept()
  assert.ok(events.length > 0)
  await expireEvents(door.db, new Date(Date.now() + 29 * 86_400_000))
  assert.deepEqual(await kept(), events)
  await expireEvents(door.db, new Date(Date.now() + 31 * 86_400_000))
  assert.deepEqual(await kept(), [])
  assert.deepEqual(await door.db.selectFrom('webhook_deliveries').selectAll().execute(), [])
  assert.deepEqual(await door.db.selectFrom('webhook_retired_secrets').selectAll().execute(), [])
  await remove(id)
})
