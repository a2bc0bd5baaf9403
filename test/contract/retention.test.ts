import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { test } from 'node:test'
import { sql } from 'kysely'
import { pino } from 'pino'
import { cleanUp } from '../../server/src/clean-up.fixture.ts'
import { startEmbeddedPostgres } from '../../server/src/db/embedded.ts'
import { openDatabase } from '../../server/src/db/open.ts'
import { temporaryFolder } from '../../server/src/db/temporary-folder.fixture.ts'
import { eventually } from '../../server/src/eventually.fixture.ts'
import { expireAttemptsJob } from '../../server/src/install/retention.ts'
import { openQueue } from '../../server/src/jobs/queue.ts'
import { expireSyncJobsJob } from '../../server/src/sync/retention.ts'
import { startTestCrossdock, syncedSandbox } from '../harness/crossdock.ts'

test('what ended longer ago than the log goes back is removed at night', async (t) => {
  const dataDir = await temporaryFolder('retention')
  cleanUp(t, () => rm(dataDir, { recursive: true, force: true }))
  const postgres = await startEmbeddedPostgres({ dataDir })
  cleanUp(t, postgres.stop)
  const { db, close } = openDatabase(postgres.url, 2)
  cleanUp(t, close)
  const crossdock = await startTestCrossdock({ databaseUrl: postgres.url, logRetentionDays: 90 })
  cleanUp(t, crossdock.stop)
  const makeOld = (table: string) =>
    sql`update ${sql.table(table)} set created_at = created_at - interval '91 days'`.execute(db)

  const { link_token } = (await crossdock.call('POST', '/link/token')).body
  const install = () =>
    crossdock.call('POST', '/link/install', {
      body: { integration_name: 'sandbox', sandbox: true },
      headers: { 'x-service-link-token': link_token },
    })
  await install()
  await makeOld('install_attempts')
  await install()

  const { token } = await syncedSandbox(crossdock)
  const call = (method: string, path: string, body?: unknown) => crossdock.call(method, path, { token, body })
  const window = { start_time: '2026-01-01T00:00:00Z', end_time: '2026-01-02T00:00:00Z' }
  const order = (function_name: string) => call('POST', '/connections/on-demand-syncs', { ...window, function_name })
  const jobs = async () =>
    (await call('GET', '/connections/on-demand-syncs')).body.data as { function_name: string; status: string }[]
  await call('PUT', '/sandbox/faults', { faults: [{ function_name: 'get_returns', status_code: 500 }] })
  for (const name of ['get_orders', 'get_returns']) await order(name)
  await eventually(async () => (await jobs()).some(({ status }) => status === 'completed'))
  await makeOld('sync_jobs')
  await order('get_inbound_shipments')

  const kinds = [expireSyncJobsJob, expireAttemptsJob]
  const queue = await openQueue({ url: postgres.url, log: pino({ level: 'silent' }), kinds, works: false })
  cleanUp(t, queue.stop)
  for (const kind of kinds) await queue.send(kind, {})
  const attempts = async () => (await call('GET', '/install-attempts')).body.data.length as number
  await eventually(async () => (await attempts()) === 1 && (await jobs()).length === 2)
  assert.deepEqual(
    (await jobs()).map(({ function_name }) => function_name),
    ['get_inbound_shipments', 'get_returns'],
  )
})
