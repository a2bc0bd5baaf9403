import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { after, before, test } from 'node:test'
import { sql } from 'kysely'
import { startEmbeddedPostgres } from '../../server/src/db/embedded.ts'
import { lockWaiters } from '../../server/src/db/lock-waiters.fixture.ts'
import { openDatabase } from '../../server/src/db/open.ts'
import type { Db } from '../../server/src/db/schema.ts'
import { temporaryFolder } from '../../server/src/db/temporary-folder.fixture.ts'
import { eventually } from '../../server/src/eventually.fixture.ts'
import { anOrder } from '../harness/an-order.ts'
import { startTestCrossdock, syncedSandbox, type TestCrossdock } from '../harness/crossdock.ts'

let crossdock: TestCrossdock
let db: Db
let stop: () => Promise<void>

before(async () => {
  const dataDir = await temporaryFolder('deleted')
  const postgres = await startEmbeddedPostgres({ dataDir })
  const opened = openDatabase(postgres.url, 3)
  db = opened.db
  crossdock = await startTestCrossdock({ databaseUrl: postgres.url })
  stop = async () => {
    await crossdock.stop()
    await opened.close()
    await postgres.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
})
after(() => stop())

/** Resolves when the records of every deleted connection have been purged. */
const purged = () =>
  eventually(async () => {
    const { rows } = await sql<{ left: boolean }>`
      select exists (select from pgboss.job where name = 'records.purge' and state <> 'completed') as left`.execute(db)
    return !rows[0]!.left
  })
const countRecords = async (connectionId: string) =>
  (await db.selectFrom('records').select('id').where('connection_id', '=', connectionId).execute()).length

test('a sandbox that is deleted and made again at once has all its data', async () => {
  const first = await syncedSandbox(crossdock)
  const before = await countRecords(first.id)
  assert.ok(before > 0)
  assert.equal((await crossdock.call('DELETE', '/connections', { token: first.token })).status, 200)
  const second = await syncedSandbox(crossdock)
  assert.deepEqual(second, first)
  await purged()
  assert.equal(await countRecords(first.id), before)
  assert.ok((await crossdock.call('GET', '/wms/orders', first)).body.data.length > 0)
})

test('a connection is deleted together with the order to remove its records, or not at all', async () => {
  const { id, token } = await syncedSandbox(crossdock)
  await sql`alter table pgboss.queue rename to queue_away`.execute(db)
  assert.equal((await crossdock.call('DELETE', '/connections', { token })).status, 500)
  await sql`alter table pgboss.queue_away rename to queue`.execute(db)
  assert.equal((await crossdock.call('GET', '/wms/orders', { token })).status, 200)
  assert.equal((await crossdock.call('DELETE', '/connections', { token })).status, 200)
  await purged()
  assert.equal(await countRecords(id), 0)
})

test('a sync ordered of a connection that another process deletes at once is refused with 401', async () => {
  const { id, token } = await syncedSandbox(crossdock)
  assert.equal((await crossdock.call('GET', '/wms/orders', { token })).status, 200)
  await db.deleteFrom('connections').where('id', '=', id).execute()
  const body = { start_time: '2026-01-01T00:00:00Z', end_time: '2026-01-02T00:00:00Z', function_name: 'get_orders' }
  assert.equal((await crossdock.call('POST', '/connections/on-demand-syncs', { token, body })).status, 401)
})

test('a write that is under way when its connection is deleted saves nothing', async (t) => {
  const { id, token } = await syncedSandbox(crossdock)
  const warehouse = await db.startTransaction().execute()
  t.after(() => warehouse.isCommitted || warehouse.rollback().execute())
  await sql`lock table sandbox_documents in exclusive mode`.execute(warehouse)
  const written = crossdock.call('POST', '/wms/orders', { token, body: anOrder() })
  await lockWaiters(db)
  assert.equal((await crossdock.call('DELETE', '/connections', { token })).status, 200)
  await purged()
  await warehouse.commit().execute()
  assert.equal((await written).status, 401)
  assert.equal(await countRecords(id), 0)
})
