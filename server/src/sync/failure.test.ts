import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { sql } from 'kysely'
import { eventually } from '../eventually.fixture.ts'
import { type ConnectionError, errorsOf as errorsOfConnection } from './connection-errors.ts'
import { listSchedules, pauseSchedules } from './schedules.ts'
import { eventsOf, ids, passTime, recordsOf, type Stage, scheduleOf, setStage } from './stage.fixture.ts'
import { createSyncJob, getSyncJob } from './sync-jobs.ts'

let stage: Stage
before(async () => {
  stage = await setStage()
})
after(() => stage.stop())
beforeEach(() => {
  stage.source.before = () => undefined
})

const crawlAgain = async () => {
  await passTime(stage.db)
  await stage.crawlAll()
}
const errorsOf = async (id: string): Promise<ConnectionError[]> => {
  const { rows } = await sql<{ errors: string }>`select ${errorsOfConnection(sql`${id}`)} as errors`.execute(stage.db)
  return JSON.parse(rows[0]!.errors)
}
const errorEvents = async (id: string) =>
  (await eventsOf(stage.db, id)).flatMap(({ type }) => (type.startsWith('connection-error.') ? type : []))
const statuses = async (id: string) => (await listSchedules(stage.db, id)).map((schedule) => schedule.sync_status)
/** Seconds until a schedule is due. */
const waitOf = async (id: string, name: string) =>
  ((await scheduleOf(stage.db, id, name)).due_at!.getTime() - Date.now()) / 1000

/** The source answers one account with a status, as often as it is asked. */
const answer = (account: string, status: number | null, kind?: string) => {
  stage.source.before = (asked) =>
    asked.account === account && (kind === undefined || asked.kind === kind) ? status : undefined
}

test('refused credentials are one blocking error over all endpoints, resolved at the next success', async () => {
  const id = await stage.connect('locked')
  answer('locked', 401)
  await stage.crawlAll()
  const [error, ...others] = await errorsOf(id)
  assert.deepEqual(others, [])
  assert.deepEqual(error!.affected_endpoints, [
    { endpoint: 'GET /wms/orders', preventing_sync: true },
    { endpoint: 'GET /wms/products', preventing_sync: true },
  ])
  assert.equal((await errorEvents(id)).filter((type) => type === 'connection-error.created').length, 1)
  assert.ok((await waitOf(id, 'get_orders')) > 250)

  stage.source.before = () => undefined
  await crawlAgain()
  assert.deepEqual(await errorsOf(id), [])
  assert.equal((await errorEvents(id)).filter((type) => type === 'connection-error.deleted').length, 1)
  assert.deepEqual(await statuses(id), ['enabled', 'enabled'])
})

test('a missing permission is an error of its endpoint that stops nothing', async () => {
  stage.source.put('forbidden', 'products', ids(3))
  const id = await stage.connect('forbidden')
  answer('forbidden', 403, 'orders')
  await stage.crawlAll()
  const errors = await errorsOf(id)
  assert.deepEqual(
    errors.map((error) => error.affected_endpoints),
    [[{ endpoint: 'GET /wms/orders', preventing_sync: false }]],
  )
  assert.deepEqual(await statuses(id), ['error', 'enabled'])
  assert.equal((await recordsOf(stage.db, id, 'wms/products')).length, 3)
})

test('other failures are tried again with growing waits, told after the third, and resolved with an event', async () => {
  const id = await stage.connect('broken', { disabledFunctions: ['get_products'] })
  answer('broken', 500)
  const waits: number[] = []
  for (const told of [0, 0, 1, 1]) {
    await crawlAgain()
    waits.push(await waitOf(id, 'get_orders'))
    assert.equal((await errorsOf(id)).length, told)
  }
  for (const [i, wait] of waits.entries()) {
    assert.ok(wait > 0.75 * 10 * 2 ** i && wait < 1.25 * 10 * 2 ** i, `wait ${i} is ${wait} s`)
  }
  const [error] = await errorsOf(id)
  assert.deepEqual(error!.affected_endpoints, [{ endpoint: 'GET /wms/orders', preventing_sync: true }])
  assert.deepEqual(await statuses(id), ['error'])

  stage.source.before = () => undefined
  await crawlAgain()
  assert.deepEqual(await errorsOf(id), [])
  assert.deepEqual(await errorEvents(id), ['connection-error.created', 'connection-error.deleted'])
  assert.deepEqual(await statuses(id), ['enabled'])
})

test('a system that is always busy is left alone as long as it asks, and told after the third time', async () => {
  const id = await stage.connect('always-busy', { disabledFunctions: ['get_products'] })
  answer('always-busy', 429)
  for (const told of [0, 0, 1]) {
    await crawlAgain()
    assert.ok(Math.abs((await waitOf(id, 'get_orders')) - 600) < 10)
    assert.equal((await errorsOf(id)).length, told)
  }
  stage.source.before = () => undefined
  await crawlAgain()
  assert.deepEqual(await errorEvents(id), ['connection-error.created', 'connection-error.deleted'])
})

test('a system that is busy before every page, and then gives it, is not told', async () => {
  stage.source.put('often-busy', 'orders', ids(600))
  const id = await stage.connect('often-busy', { disabledFunctions: ['get_products'] })
  let requests = 0
  stage.source.before = ({ account }) => (account === 'often-busy' && requests++ % 2 === 0 ? 429 : undefined)
  for (let page = 0; page <= 6; page++) await crawlAgain()
  assert.ok(requests >= 12)
  assert.equal((await recordsOf(stage.db, id, 'wms/orders')).length, 600)
  assert.deepEqual(await errorEvents(id), [])
})

test('a host that is up again and forbids is another error: the outage is resolved', async () => {
  const id = await stage.connect('guarded', { disabledFunctions: ['get_products'] })
  answer('guarded', 500)
  for (let failures = 1; failures <= 3; failures++) await crawlAgain()
  const [outage] = await errorsOf(id)
  answer('guarded', 403)
  await crawlAgain()
  const [refusal, ...others] = await errorsOf(id)
  assert.deepEqual(others, [])
  assert.ok(refusal!.first_seen > outage!.last_seen)
  assert.deepEqual(refusal!.affected_endpoints, [{ endpoint: 'GET /wms/orders', preventing_sync: false }])
  assert.deepEqual(await errorEvents(id), [
    'connection-error.created',
    'connection-error.deleted',
    'connection-error.created',
  ])
})

test('a failure in mid-crawl keeps the pages before it', async () => {
  stage.source.put('middle', 'orders', ids(300))
  const id = await stage.connect('middle', { disabledFunctions: ['get_products'] })
  stage.source.before = ({ account, after }) => (account === 'middle' && after?.endsWith('a0200') ? null : undefined)
  await stage.crawlAll()
  assert.equal((await recordsOf(stage.db, id, 'wms/orders')).length, 200)
  stage.source.before = () => undefined
  stage.source.asked.length = 0
  await crawlAgain()
  const asked = stage.source.asked.filter(({ account }) => account === 'middle')
  assert.match(asked[0]!.after!, /a0200$/)
  assert.equal((await recordsOf(stage.db, id, 'wms/orders')).length, 300)
})

test('an on-demand sync that fails again and again is stuck; its schedule goes on', async () => {
  const id = await stage.connect('stuck', { disabledFunctions: ['get_products'] })
  await stage.crawlAll()
  stage.source.put('stuck', 'orders', ids(2))
  const end = new Date('2024-03-01T00:00:00Z')
  const window = { connectionId: id, functionName: 'get_orders', start: new Date(0), end }
  const job = await createSyncJob(stage.db, window)
  stage.source.before = ({ account, until }) => (account === 'stuck' && until === end.toISOString() ? 500 : undefined)
  for (let i = 0; i < 8; i++) {
    assert.equal((await getSyncJob(stage.db, id, job.id)).status, 'open')
    await crawlAgain()
  }
  assert.equal((await getSyncJob(stage.db, id, job.id)).status, 'stuck')
  const told = (await eventsOf(stage.db, id)).filter((event) => event.type === 'connection.sync-job-stuck')
  assert.equal(told.length, 1)
  await crawlAgain()
  assert.equal((await recordsOf(stage.db, id, 'wms/orders')).length, 2)
})

test('an on-demand sync has tries of its own, however often its schedule has failed before', async () => {
  const id = await stage.connect('late', { disabledFunctions: ['get_products'] })
  answer('late', 500)
  for (let i = 0; i < 9; i++) await crawlAgain()
  const window = { connectionId: id, functionName: 'get_orders', start: new Date(0), end: new Date() }
  const job = await createSyncJob(stage.db, window)
  for (let i = 0; i < 7; i++) {
    await crawlAgain()
    assert.equal((await getSyncJob(stage.db, id, job.id)).status, 'open')
  }
  answer('late', 429)
  await crawlAgain()
  assert.equal((await getSyncJob(stage.db, id, job.id)).status, 'stuck')
  const types = (await eventsOf(stage.db, id)).map(({ type }) => type)
  assert.equal(types.filter((type) => type === 'connection.sync-job-stuck').length, 1)
  const next = await createSyncJob(stage.db, window)
  stage.source.before = () => undefined
  await crawlAgain()
  assert.equal((await getSyncJob(stage.db, id, next.id)).status, 'completed')
})

test('a schedule that fails again and again is told as stuck, once', async () => {
  const id = await stage.connect('failing', { disabledFunctions: ['get_products'] })
  await stage.crawlAll()
  stage.source.before = ({ account }) => (account === 'failing' ? 500 : undefined)
  const told = async () =>
    (await eventsOf(stage.db, id))
      .filter((event) => event.type === 'connection.schedule-stuck')
      .map(({ payload }) => payload.data)
  for (let i = 0; i < 7; i++) await crawlAgain()
  assert.deepEqual(await told(), [])
  for (let i = 0; i < 3; i++) await crawlAgain()
  const [stuck, ...more] = await told()
  assert.deepEqual(more, [])
  const { latest_data, last_crawl_start } = (await listSchedules(stage.db, id))[0]!
  assert.equal(stuck.function_name, 'get_orders')
  assert.equal(stuck.latest_data, latest_data)
  assert.ok(Date.parse(stuck.last_crawl_start) <= Date.parse(last_crawl_start!))
})

test('a worker whose lease is lost tells no failure', async (t) => {
  const id = await stage.connect('lost', { disabledFunctions: ['get_products'] })
  const asked = Promise.withResolvers<void>()
  const pausedNow = Promise.withResolvers<void>()
  stage.source.before = async ({ account }) => {
    if (account !== 'lost') return
    asked.resolve()
    await pausedNow.promise
    return 401
  }
  const worker = stage.startWorker(t)
  await asked.promise
  await pauseSchedules(stage.db, id, null, true)
  const before = await scheduleOf(stage.db, id, 'get_orders')
  pausedNow.resolve()
  await eventually(() => worker.running === 0)
  await worker.stop()
  assert.deepEqual(await errorsOf(id), [])
  assert.deepEqual(await scheduleOf(stage.db, id, 'get_orders'), before)
})

test('hosts that hang do not delay the crawls of others', async (t) => {
  const hung = new Set<string>()
  const release = Promise.withResolvers<void>()
  stage.source.before = async ({ account, kind }) => {
    if (!account.startsWith('hung')) return
    hung.add(`${account}/${kind}`)
    await release.promise
    return null
  }
  for (let i = 0; i < 20; i++) await stage.connect(`hung-${i}`, { host: 'hung' })
  const worker = stage.startWorker(t, { concurrency: 8 })
  await eventually(() => hung.size === 4)
  stage.source.put('healthy', 'orders', ids(300))
  const id = await stage.connect('healthy')
  await eventually(async () => (await statuses(id)).every((status) => status === 'enabled') && (await synced(id)))
  assert.equal(hung.size, 4, 'one host never takes more than its share')
  release.resolve()
  stage.source.before = () => undefined
  await worker.stop()
})

const synced = async (id: string) => (await scheduleOf(stage.db, id, 'get_orders')).first_synced_at !== null
