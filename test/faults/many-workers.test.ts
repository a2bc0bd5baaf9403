import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { after, before, test } from 'node:test'
import { sql } from 'kysely'
import { startEmbeddedPostgres } from '../../server/src/db/embedded.ts'
import { migrate } from '../../server/src/db/migrate.ts'
import { openDatabase } from '../../server/src/db/open.ts'
import { temporaryFolder } from '../../server/src/db/temporary-folder.fixture.ts'
import { eventually } from '../../server/src/eventually.fixture.ts'
import { resources } from '../../server/src/resources/index.ts'
import { startTestSource, type TestSource } from '../../server/src/sync/source.fixture.ts'
import { recordsOf, scheduleOf } from '../../server/src/sync/stage.fixture.ts'
import { insertSchedules, kill, startWorker } from './workers.ts'

let postgres: Awaited<ReturnType<typeof startEmbeddedPostgres>>
let database: ReturnType<typeof openDatabase>
let source: TestSource
let dataDir: string
before(async () => {
  dataDir = await temporaryFolder('workers')
  postgres = await startEmbeddedPostgres({ dataDir })
  database = openDatabase(postgres.url, 4)
  await migrate(database.db, resources)
  source = await startTestSource()
})
after(async () => {
  await source.stop()
  await database.close()
  await postgres.stop()
  await rm(dataDir, { recursive: true })
})

test('8 workers share 10,000 due schedules: none runs twice, none starves, the longest due go first', async (t) => {
  const { db } = database
  const count = 10_000
  const workers = await Promise.all(Array.from({ length: 8 }, () => startWorker(postgres.url, source.origin, 30)))
  t.after(() => Promise.all(workers.map(kill)))
  const startedAt = Date.now()
  const connections = await insertSchedules(db, {
    connections: count,
    hosts: 500,
    functions: ['get_orders'],
    everySeconds: 3600,
  })
  const unfinished = sql<{
    rest: number
  }>`select count(*)::integer as rest from schedules where first_synced_at is null`
  await eventually(async () => (await unfinished.execute(db)).rows[0]!.rest === 0, 90_000)
  const seconds = (Date.now() - startedAt) / 1000
  assert.deepEqual(source.overlaps, [])
  assert.equal(source.asked.length, count, 'each was crawled once')
  assert.equal(new Set(source.asked.map(({ account }) => account)).size, count)
  const rank = new Map(connections.map((id, i) => [id, i]))
  const furthest = Math.max(...source.asked.map(({ account }, turn) => Math.abs(rank.get(account)! - turn)))
  const each = new Set(source.asked.map(({ worker }) => worker)).size
  t.diagnostic(`${Math.round(count / seconds)} crawls/s by ${each} workers; furthest from its turn: ${furthest} places`)
  assert.equal(each, 8)
  assert.ok(furthest < 8 * 24 * 4, 'roughly in the order they were due')
})

test('a worker stopped past its lease writes nothing when it wakes', async (t) => {
  const { db } = database
  source.before = () => undefined
  const [id] = await insertSchedules(db, { connections: 1, hosts: 1, functions: ['get_orders'], everySeconds: 3600 })
  await sql`update schedules set due_at = null where connection_id <> ${id}`.execute(db)
  source.put(id!, 'orders', ['a1'], 'read by the worker that was stopped')
  let stale: (() => void) | undefined
  source.before = ({ worker }) =>
    worker === String(stopped.pid) ? new Promise((resolve) => (stale = () => resolve(undefined))) : undefined
  await sql`update schedules set due_at = null where connection_id = ${id}`.execute(db)
  const stopped = await startWorker(postgres.url, source.origin, 2)
  t.after(() => kill(stopped))
  await sql`update schedules set due_at = now() where connection_id = ${id}`.execute(db)
  await eventually(() => stale !== undefined)
  stopped.kill('SIGSTOP')

  const other = await startWorker(postgres.url, source.origin, 30)
  t.after(() => kill(other))
  await eventually(async () => (await scheduleOf(db, id!, 'get_orders')).first_synced_at !== null)
  await kill(other)
  const state = async () => [
    await recordsOf(db, id!, 'wms/orders'),
    await scheduleOf(db, id!, 'get_orders'),
    await events(),
  ]
  const events = async () => (await sql`select count(*) from webhook_events`.execute(db)).rows
  const before = await state()

  // the answer that comes now is another than the one that was saved
  source.put(id!, 'orders', ['a1', 'a2'], 'too late')
  stale!()
  source.before = () => undefined
  stopped.kill('SIGCONT')
  // when it has done something else it has also dealt with the answer
  const [next] = await insertSchedules(db, {
    connections: 1,
    hosts: 1,
    functions: ['get_products'],
    everySeconds: 3600,
  })

  await eventually(async () => (await scheduleOf(db, next!, 'get_products')).first_synced_at !== null)
  const [records, schedule] = await state()
  assert.deepEqual(records, before[0])
  assert.deepEqual(schedule, before[1])
})
