import assert from 'node:assert/strict'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { after, test } from 'node:test'
import { pino } from 'pino'
import { startEmbeddedPostgres } from '../db/embedded.ts'
import { openDatabase } from '../db/open.ts'
import { temporaryFolder } from '../db/temporary-folder.fixture.ts'
import { defineJob, openQueue, type Queue } from './queue.ts'

const dataDir = await temporaryFolder('jobs')
const postgres = await startEmbeddedPostgres({ dataDir })
const { db, pool, close } = openDatabase(postgres.url, 2)
const greet = defineJob<{ name: string }>('greet')
const nightly = defineJob('nightly', { cron: '17 3 * * *' })
const open = (works: boolean) =>
  openQueue({ url: postgres.url, log: pino({ level: 'silent' }), kinds: [greet, nightly], works })
const queue: Queue = await open(true)
after(async () => {
  await queue.stop()
  await close()
  await postgres.stop()
  await rm(dataDir, { recursive: true, force: true })
})

test('a job is done with the data it was sent with, again after it failed, and never when its transaction was undone', async () => {
  const done = new EventTarget()
  const names: string[] = []
  let failures = 1
  await queue.work(greet, async ({ name }) => {
    if (failures-- > 0) throw new Error('not yet')
    names.push(name)
    if (names.length === 2) done.dispatchEvent(new Event('all'))
  })
  const all = once(done, 'all')
  await assert.rejects(
    db.transaction().execute(async (trx) => {
      await queue.send(greet, { name: 'undone' }, trx)
      throw new Error('undone')
    }),
  )
  // sooner than jobs are tried again outside of tests
  await pool.query('update pgboss.queue set retry_delay = 1')
  await db.transaction().execute((trx) => queue.send(greet, { name: 'kept' }, trx))
  await queue.send(greet, { name: 'plain' })
  await all
  assert.deepEqual(names.sort(), ['kept', 'plain'])
})

test('a process that only sends opens the same queue, and a nightly kind is planned once', async () => {
  const sender = await open(false)
  await sender.stop()
  const { rows } = await pool.query('select name, cron from pgboss.schedule')
  assert.deepEqual(rows, [{ name: 'nightly', cron: '17 3 * * *' }])
})
