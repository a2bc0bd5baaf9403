import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { sql } from 'kysely'
import { eventually } from '../eventually.fixture.ts'
import { renewLeases } from './leases.ts'
import { alignSchedules, forceSync, listSchedules, pauseSchedules, resetSchedules, setFrequency } from './schedules.ts'
import { eventsOf, ids, passTime, recordsOf, type Stage, scheduleOf, setStage } from './stage.fixture.ts'
import { cancelSyncJob, createSyncJob, getSyncJob } from './sync-jobs.ts'

let stage: Stage
before(async () => {
  stage = await setStage()
})
after(() => stage.stop())
beforeEach(() => {
  stage.source.before = () => undefined
  stage.source.asked.length = 0
})

const onlyOrders = { disabledFunctions: ['get_products'] }
const countOf = async (id: string) => (await recordsOf(stage.db, id, 'wms/orders')).length
const statusOf = async (id: string) => (await listSchedules(stage.db, id))[0]!.sync_status

/** Holds the source's answer back when an account is asked for what comes after a record. */
function holdPage(account: string, last: string) {
  const reached = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  stage.source.before = async (asked) => {
    if (asked.account !== account || !asked.after?.endsWith(last)) return
    reached.resolve()
    await released.promise
    return undefined
  }
  return { asked: reached.promise, answer: released.resolve }
}

test('a pause in mid-crawl stops it at once; unpaused it goes on from there without a gap', async (t) => {
  stage.source.put('paused', 'orders', ids(500))
  const id = await stage.connect('paused', onlyOrders)
  const page = holdPage('paused', 'a0200')
  const worker = stage.startWorker(t)
  await page.asked
  assert.equal(await statusOf(id), 'first_sync_in_progress')
  await pauseSchedules(stage.db, id, 'get_orders', true)
  assert.equal(await statusOf(id), 'disabled')
  page.answer()
  await eventually(() => worker.running === 0)
  assert.equal(await countOf(id), 200)
  const { checkpoint, due_at } = await scheduleOf(stage.db, id, 'get_orders')
  assert.match((checkpoint as { cursor: string }).cursor, /a0200$/)
  assert.equal(due_at, null)

  stage.source.asked.length = 0
  await pauseSchedules(stage.db, id, 'get_orders', false)
  await eventually(async () => (await scheduleOf(stage.db, id, 'get_orders')).first_synced_at !== null)
  await worker.stop()
  assert.equal(await countOf(id), 500)
  assert.match(stage.source.asked[0]!.after!, /a0200$/)
  assert.equal(stage.source.asked.length, 3)
})

test('a paused schedule stays where it is whatever time passes, and a new frequency does not wake it', async () => {
  const id = await stage.connect('resting', onlyOrders)
  await stage.crawlAll()
  await pauseSchedules(stage.db, id, null, true)
  const before = await scheduleOf(stage.db, id, 'get_orders')
  await setFrequency(stage.db, id, 'get_orders', 60)
  await passTime(stage.db)
  await stage.crawlAll()
  assert.deepEqual(await scheduleOf(stage.db, id, 'get_orders'), { ...before, sync_frequency: 60 })
})

test('a paused schedule crawls once when a sync is forced, and rests again', async () => {
  const id = await stage.connect('forced', onlyOrders)
  await stage.crawlAll()
  await pauseSchedules(stage.db, id, null, true)
  stage.source.put('forced', 'orders', ids(3))
  await forceSync(stage.db, id, ['get_orders'])
  await stage.crawlAll()
  assert.equal(await countOf(id), 3)
  const { due_at, paused, forced } = await scheduleOf(stage.db, id, 'get_orders')
  assert.deepEqual({ due_at, paused, forced }, { due_at: null, paused: true, forced: false })
  const told = (await eventsOf(stage.db, id)).filter((event) => event.type === 'connection.force-sync-completed')
  assert.equal(told.length, 1)
})

test('an on-demand sync reads its window and leaves the checkpoint of the schedule alone', async () => {
  stage.source.put('window', 'orders', ['a0001', 'a0002', 'a0003'])
  const at = (id: string, instant: string) => {
    stage.source.documents('window', 'orders').get(id)!.modified_at = instant
  }
  at('a0001', '2024-01-31T23:59:59.999Z')
  at('a0002', '2024-02-10T00:00:00.000Z')
  at('a0003', '2024-03-01T00:00:00.001Z')
  const id = await stage.connect('window', onlyOrders)
  await stage.crawlAll()
  assert.equal(await countOf(id), 0)
  const { checkpoint } = await scheduleOf(stage.db, id, 'get_orders')
  await pauseSchedules(stage.db, id, null, true)
  const job = await createSyncJob(stage.db, {
    connectionId: id,
    functionName: 'get_orders',
    start: new Date('2024-02-01T00:00:00Z'),
    end: new Date('2024-03-01T00:00:00Z'),
  })
  await stage.crawlAll()
  assert.equal((await getSyncJob(stage.db, id, job.id)).status, 'completed')
  assert.deepEqual(
    (await recordsOf(stage.db, id, 'wms/orders')).map((record) => record.id),
    ['a0002'],
  )
  const schedule = await scheduleOf(stage.db, id, 'get_orders')
  assert.deepEqual(schedule.checkpoint, checkpoint)
  assert.equal(schedule.due_at, null, 'the paused schedule rests again')
  const told = (await eventsOf(stage.db, id)).map((event) => event.type)
  assert.ok(told.includes('connection.sync-job-completed'))
  assert.ok(told.includes('order.created'))
})

test('on-demand syncs follow each other, also on a paused schedule and over several slices', async (t) => {
  stage.source.put('queue', 'orders', ids(250))
  const id = await stage.connect('queue', onlyOrders)
  await pauseSchedules(stage.db, id, null, true)
  const window = { connectionId: id, functionName: 'get_orders', start: new Date(0), end: new Date() }
  const jobs = [await createSyncJob(stage.db, window), await createSyncJob(stage.db, window)]
  stage.startWorker(t, { sliceMs: 0 })
  for (const job of jobs) {
    await eventually(async () => (await getSyncJob(stage.db, id, job.id)).status === 'completed')
  }
  assert.equal(await countOf(id), 250)
  await eventually(async () => (await scheduleOf(stage.db, id, 'get_orders')).due_at === null)
})

test('what was ordered of a schedule is done also when the schedule is paused after that', async () => {
  stage.source.put('ordered', 'orders', ids(3))
  const id = await stage.connect('ordered', onlyOrders)
  const window = { connectionId: id, functionName: 'get_orders', start: new Date(0), end: new Date() }
  const job = await createSyncJob(stage.db, window)
  await pauseSchedules(stage.db, id, null, true)
  await stage.crawlAll()
  assert.equal((await getSyncJob(stage.db, id, job.id)).status, 'completed')
  assert.equal((await scheduleOf(stage.db, id, 'get_orders')).due_at, null)

  await forceSync(stage.db, id, null)
  await pauseSchedules(stage.db, id, 'get_orders', true)
  await stage.crawlAll()
  const told = (await eventsOf(stage.db, id)).filter((event) => event.type === 'connection.force-sync-completed')
  assert.equal(told.length, 1)
  assert.equal((await scheduleOf(stage.db, id, 'get_orders')).due_at, null)
})

test('an on-demand sync outlives that its function is switched off for a while, and a new beginning', async () => {
  const id = await stage.connect('outlives', onlyOrders)
  await pauseSchedules(stage.db, id, null, true)
  const window = { connectionId: id, functionName: 'get_orders', start: new Date(0), end: new Date() }
  const align = (enabled: boolean) =>
    alignSchedules(stage.db, [
      { id, host: 'outlives', functions: [{ functionName: 'get_orders', everySeconds: 3600, enabled }] },
    ])
  const switchOffAndOn = async () => {
    await align(false)
    await align(true)
  }
  for (const disturb of [switchOffAndOn, () => resetSchedules(stage.db, { id, functions: [] })]) {
    const job = await createSyncJob(stage.db, window)
    await disturb()
    await stage.crawlAll()
    assert.equal((await getSyncJob(stage.db, id, job.id)).status, 'completed')
  }
})

test('an on-demand sync that was cancelled stops at its next page, and a paused schedule does not move for it', async (t) => {
  stage.source.put('cancelled', 'orders', ids(300))
  const id = await stage.connect('cancelled', onlyOrders)
  await pauseSchedules(stage.db, id, null, true)
  const window = { connectionId: id, functionName: 'get_orders', start: new Date(0), end: new Date() }
  const job = await createSyncJob(stage.db, window)
  const page = holdPage('cancelled', 'a0100')
  const worker = stage.startWorker(t)
  await page.asked
  await cancelSyncJob(stage.db, id, job.id)
  page.answer()
  await eventually(() => worker.running === 0)
  assert.equal(await countOf(id), 100)
  await eventually(async () => (await scheduleOf(stage.db, id, 'get_orders')).due_at === null)
  assert.equal((await getSyncJob(stage.db, id, job.id)).status, 'cancelled')
  await assert.rejects(cancelSyncJob(stage.db, id, job.id), /This sync job is cancelled/)
  assert.equal(await countOf(id), 100)
})

test('an on-demand sync ordered while its schedule crawls is next', async (t) => {
  stage.source.put('next', 'orders', ids(200))
  const id = await stage.connect('next', onlyOrders)
  const page = holdPage('next', 'a0100')
  stage.startWorker(t)
  await page.asked
  const window = { connectionId: id, functionName: 'get_orders', start: new Date(0), end: new Date() }
  const job = await createSyncJob(stage.db, window)
  page.answer()
  await eventually(async () => (await getSyncJob(stage.db, id, job.id)).status === 'completed')
})

test('a function switched off keeps its checkpoint and goes on from there when it is switched on', async () => {
  stage.source.put('policy', 'orders', ids(10))
  const id = await stage.connect('policy', onlyOrders)
  await stage.crawlAll()
  const checkpoint = (await scheduleOf(stage.db, id, 'get_orders')).checkpoint as unknown as { since: string }
  const align = (enabled: boolean) =>
    alignSchedules(stage.db, [
      { id, host: 'policy', functions: [{ functionName: 'get_orders', everySeconds: 3600, enabled }] },
    ])
  await align(false)
  await passTime(stage.db)
  stage.source.asked.length = 0
  const asked = () => stage.source.asked.filter(({ account }) => account === 'policy')
  await stage.crawlAll()
  assert.deepEqual(asked(), [])
  assert.deepEqual(await listSchedules(stage.db, id), [])
  assert.deepEqual((await scheduleOf(stage.db, id, 'get_orders')).checkpoint, checkpoint)

  stage.source.put('policy', 'orders', ids(10, 'b'))
  await align(true)
  await stage.crawlAll()
  assert.equal(await countOf(id), 20)
  const overlapMs = 5 * 60_000
  const since = Date.parse(checkpoint.since)
  assert.equal(Date.parse(asked()[0]!.since!), since - overlapMs)
})

test('a function that is gone keeps its checkpoint, is shown no more and rests', async () => {
  const id = await stage.connect('gone')
  await stage.crawlAll()
  const before = await scheduleOf(stage.db, id, 'get_orders')
  const products = { functionName: 'get_products', everySeconds: 3600, enabled: true }
  await alignSchedules(stage.db, [{ id, host: 'gone', functions: [products] }])
  const { checkpoint, due_at } = await scheduleOf(stage.db, id, 'get_orders')
  assert.deepEqual({ checkpoint, due_at }, { checkpoint: before.checkpoint, due_at: null })
  assert.deepEqual(
    (await listSchedules(stage.db, id)).map((schedule) => schedule.function_name),
    ['get_products'],
  )
})

test('a worker that stops hands its crawl back: another goes on at once', async (t) => {
  stage.source.put('handed', 'orders', ids(300))
  const id = await stage.connect('handed', onlyOrders)
  const page = holdPage('handed', 'a0100')
  const worker = stage.startWorker(t)
  await page.asked
  await worker.stop()
  const { running, checkpoint } = await scheduleOf(stage.db, id, 'get_orders')
  assert.equal(running, false)
  assert.match((checkpoint as { cursor: string }).cursor, /a0100$/)
  page.answer()
  stage.source.before = () => undefined
  await stage.crawlAll()
  assert.equal(await countOf(id), 300)
})

test('renewing leases does not touch schedules whose crawl has ended', async () => {
  const id = await stage.connect('renewed', onlyOrders)
  await stage.crawlAll()
  const { due_at } = await scheduleOf(stage.db, id, 'get_orders')
  const { rows } = await sql<{ fence: string }>`select fence from schedules where connection_id = ${id}
    and function_name = 'get_orders'`.execute(stage.db)
  const lease = { connectionId: id, functionName: 'get_orders', fence: rows[0]!.fence, seconds: 30 }
  assert.deepEqual(await renewLeases(stage.db, [lease as never]), [])
  assert.deepEqual((await scheduleOf(stage.db, id, 'get_orders')).due_at, due_at)
})
