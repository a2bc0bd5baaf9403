import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import type { NewEntry } from './api-log.ts'
import { demo, serveDemo } from './demo-server.fixture.ts'
import { openSetting, type Setting, send } from './demo-setting.fixture.ts'

const dayMs = 86_400_000
const now = new Date('2026-11-20T10:20:30.400Z')
let setting: Setting
let served: Awaited<ReturnType<typeof serveDemo>>
let entries: NewEntry[]

before(async () => {
  setting = await openSetting()
  served = await serveDemo({ ...setting, now: () => now })
  entries = Array.from({ length: 2000 }, (_, i) => entryAt(i, now.getTime() - (i % 5 ? i * 7_500_000 : i * 900)))
  entries = entries.filter(({ requestTime }) => requestTime.getTime() >= now.getTime() - 180 * dayMs)
  await Promise.all(entries.map((entry) => served.log.append(entry, { durable: true })))
})
after(async () => {
  await served?.stop()
  await setting.close()
})

/** Numbered so that every pair of values occurs. */
function entryAt(i: number, time: number): NewEntry {
  const place = i % 6
  const foreign = i % 11 === 0
  const statuses = [200, 200, 404, 200, 422, 200, 502]
  return {
    requestId: randomUUID(),
    organizationId: foreign ? demo.otherOrganizationId : demo.organizationId,
    connection:
      place === 5
        ? null
        : {
            id: `${foreign ? 5 : 4}4444444-4444-4444-8444-44444444444${place}`,
            integrationName: place < 3 ? 'acme' : 'other',
            integrationType: place % 2 ? 'wms' : 'cart',
          },
    requestTime: new Date(time),
    method: i % 4 ? 'GET' : 'POST',
    path: i % 3 ? '/wms/orders' : '/wms/orders/<path_param>',
    pathParam: null,
    statusCode: statuses[i % 7]!,
    error: null,
    errorOrigin: null,
    durationMs: 5,
    idempotencyKey: null,
    queryParams: '{}',
    requestBody: null,
    integrationRequestBodies: '[]',
  }
}

const filters: Record<string, [value: string, holds: (entry: NewEntry) => boolean]> = {
  start_time: ['2026-10-31T22:00:00+02:00', ({ requestTime }) => requestTime >= new Date('2026-10-31T20:00:00Z')],
  end_time: ['2026-11-20T09:59:00.100Z', ({ requestTime }) => requestTime <= new Date('2026-11-20T09:59:00.100Z')],
  connection_id: ['44444444-4444-4444-8444-444444444442', ({ connection }) => connection?.id.endsWith('442') ?? false],
  integration_name: ['acme', ({ connection }) => connection?.integrationName === 'acme'],
  integration_type: ['wms', ({ connection }) => connection?.integrationType === 'wms'],
  request_method: ['POST', ({ method }) => method === 'POST'],
  request_path: ['/wms/orders/<path_param>', ({ path }) => path.endsWith('>')],
  status_code: ['404', ({ statusCode }) => statusCode === 404],
}

/** Every choice of filters, as query and as the entries that it names, newest first. */
function* choices(names: string[]) {
  for (let choice = 0; choice < 2 ** names.length; choice++) {
    const chosen = names.filter((_, i) => choice & (1 << i))
    yield {
      query: new URLSearchParams(Object.fromEntries(chosen.map((name) => [name, filters[name]![0]]))),
      expected: entries
        .filter((entry) => entry.organizationId === demo.organizationId)
        .filter((entry) => chosen.every((name) => filters[name]![1](entry)))
        .sort((a, b) => b.requestTime.getTime() - a.requestTime.getTime() || (a.requestId < b.requestId ? 1 : -1)),
    }
  }
}

const get = (path: string) => send(served.origin, 'GET', path, { accessToken: null })
const scopeFilters = Object.keys(filters).slice(0, 5)

test('every combination of filters finds exactly its entries, newest first', async () => {
  for (const { query, expected } of choices(Object.keys(filters))) {
    query.set('limit', '5000')
    const { body } = await get(`/api-logs?${query}`)
    const found = body.data.map((entry: { request_id: string }) => entry.request_id)
    assert.deepEqual(
      found,
      expected.map(({ requestId }) => requestId),
      String(query),
    )
  }
})

test('facets are exact and sorted within every scope', async () => {
  for (const { query, expected } of choices(scopeFilters)) {
    const { data } = (await get(`/api-logs/facets?${query}`)).body
    const distinct = <Value>(values: Value[]) => [...new Set(values)].sort()
    const connections = expected.flatMap(({ connection }) => connection ?? [])
    const wanted = {
      connection_id: distinct(connections.map(({ id }) => id)),
      integration_name: distinct(connections.map(({ integrationName }) => integrationName)),
      request_path: distinct(expected.map(({ path }) => path)),
      status_code: distinct(expected.map(({ statusCode }) => statusCode)),
    }
    assert.deepEqual(data, wanted, String(query))
  }
})

test('histograms count every entry once, in the bucket of its time', async () => {
  const present = now.getTime() - 1
  for (const window of [180 * dayMs - 1, 9 * dayMs + 1234, 3_600_000, 1]) {
    for (const buckets of [1, 60, 200]) {
      for (const { query, expected } of choices(['connection_id', 'integration_name', 'integration_type'])) {
        query.set('start_time', new Date(present - window).toISOString())
        query.set('end_time', new Date(present).toISOString())
        query.set('buckets', String(buckets))
        const { data } = (await get(`/api-logs/histogram?${query}`)).body
        assert.equal(data.length, buckets)
        assert.equal(data[0].start_time, query.get('start_time'))
        assert.equal(data.at(-1).end_time, query.get('end_time'))
        const counted = data.map(({ counts }: { counts: object }) => counts)
        const wanted = data.map(({ start_time, end_time }: { start_time: string; end_time: string }, i: number) => {
          const counts: Record<string, number> = { '2xx': 0, '3xx': 0, '4xx': 0, '5xx': 0 }
          for (const { requestTime, statusCode } of expected) {
            const inside = requestTime >= new Date(start_time) && requestTime < new Date(end_time)
            const last = i === buckets - 1 && requestTime.getTime() === Date.parse(end_time)
            if (inside || last) counts[`${Math.floor(statusCode / 100)}xx`]!++
          }
          return counts
        })
        assert.deepEqual(counted, wanted, String(query))
      }
    }
  }
})

test('pages neither repeat nor skip while entries stream in', async () => {
  const streamed = (async () => {
    for (let i = 0; i < 300; i++)
      await served.log.append(entryAt(1, now.getTime() - (i % 3) * dayMs), { durable: true })
  })()
  const seen: string[] = []
  let token: string | null = null
  do {
    const { body } = await get(`/api-logs?status_code=404&limit=7${token ? `&page_token=${token}` : ''}`)
    assert.equal(body.total_count, body.data.length)
    seen.push(...body.data.map((entry: { request_id: string }) => entry.request_id))
    token = body.next_token
  } while (token)
  await streamed
  assert.equal(new Set(seen).size, seen.length)
  const expected = entries.filter((entry) => entry.statusCode === 404 && entry.organizationId === demo.organizationId)
  const found = new Set(seen)
  assert.ok(expected.length > 100 && expected.every(({ requestId }) => found.has(requestId)))
})

test('a page that would grow beyond 8 MiB ends early and goes on with its next_token', async () => {
  const text = 'x'.repeat(60_000)
  const large = Array.from({ length: 200 }, (_, i) => ({
    ...entryAt(1, now.getTime() - 10 * dayMs + i),
    path: '/wms/large',
    requestBody: JSON.stringify({ text }),
  }))
  await Promise.all(large.map((entry) => served.log.append(entry, { durable: true })))
  const first = await get('/api-logs?request_path=/wms/large&limit=5000')
  assert.ok(first.text.length <= 8 * 1024 * 1024 && first.text.length > 7 * 1024 * 1024)
  const second = await get(`/api-logs?request_path=/wms/large&limit=5000&page_token=${first.body.next_token}`)
  assert.equal(second.body.next_token, null)
  assert.equal(first.body.total_count + second.body.total_count, 200)
})

test('filters that cannot hold are refused where they stand', async () => {
  const foreign = (await get('/api-logs?limit=1')).body.next_token
  const days = (count: number) => new Date(now.getTime() + count * dayMs).toISOString()
  const refused: [field: string, query: string, path?: string][] = [
    ['limit', 'limit=0'],
    ['limit', 'limit=5001'],
    ['limit', 'limit=many'],
    ['limit', 'limit=1&limit=2'],
    ['start_time', `start_time=${days(-181)}`],
    ['start_time', `start_time=${days(1)}`],
    ['end_time', `end_time=${days(1)}`],
    ['end_time', `end_time=${days(-181)}`],
    ['end_time', `start_time=${days(-2)}&end_time=${days(-3)}`],
    ['start_time', 'start_time=yesterday'],
    ['status_code', 'status_code=20'],
    ['request_method', 'request_method=FETCH'],
    ['integration_type', 'integration_type=none'],
    ['integration_name', 'integration_name=none'],
    ['page_token', 'page_token=garbled'],
    ['page_token', `page_token=${Buffer.from('["api-logs","2026-01-01T00:00:00Z","x"]').toString('base64url')}`],
    ['method', 'method=GET'],
    ['limit', 'limit=1', '/api-logs/facets'],
    ['request_path', 'request_path=/a', '/api-logs/facets'],
    ['start_time', `start_time=${days(-181)}`, '/api-logs/facets'],
    ['buckets', 'buckets=0', '/api-logs/histogram'],
    ['buckets', 'buckets=201', '/api-logs/histogram'],
  ]
  for (const [field, query, path = '/api-logs'] of refused) {
    const { status, body } = await get(`${path}?${query}`)
    assert.equal(status, 422, query)
    assert.deepEqual(Object.keys(body.detail.query), [field], query)
  }
  const other = await fetch(`${served.origin}/api-logs?page_token=${foreign}`, {
    headers: { 'x-service-api-key': demo.otherApiKey },
  })
  assert.equal(other.status, 422)
  for (const none of ['none', '00000000-0000-0000-0000-000000000000']) {
    assert.equal((await get(`/api-logs?connection_id=${none}`)).body.total_count, 0)
    const { data } = (await get(`/api-logs/histogram?connection_id=${none}&buckets=1`)).body
    assert.deepEqual(data[0].counts, { '2xx': 0, '3xx': 0, '4xx': 0, '5xx': 0 })
  }
  assert.equal((await get(`/api-logs?page_token=&start_time=${days(-180)}`)).status, 200)
})
