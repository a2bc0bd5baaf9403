import assert from 'node:assert/strict'
import { after, before, type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import { pino } from 'pino'
import { lockWaiters } from '../db/lock-waiters.fixture.ts'
import { eventually } from '../eventually.fixture.ts'
import { type Stage, setStage } from '../sync/stage.fixture.ts'
import { countUsage } from './usage.ts'

let stage: Stage
before(async () => {
  stage = await setStage()
})
after(() => stage.stop())

const log = pino({ level: 'silent' })
/** Two connections, the one with the lower id first. */
const connectTwo = async () => [await stage.connect('one'), await stage.connect('other')].sort() as [string, string]
const timesUsed = async (id: string) => {
  const { times_used } = await stage.db
    .selectFrom('connections')
    .select('times_used')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  return Number(times_used)
}

/** Locks a connection until its transaction is ended. */
async function hold(t: TestContext, id: string) {
  const trx = await stage.db.startTransaction().execute()
  t.after(() => trx.isCommitted || trx.rollback().execute())
  await trx.selectFrom('connections').select('id').where('id', '=', id).forUpdate().execute()
  return trx
}

test('counts are kept for the next time when they cannot be written', async (t) => {
  const [id] = await connectTwo()
  const usage = countUsage(stage.db, log, 20)
  const held = await hold(t, id)
  for (let i = 0; i < 3; i++) usage.count(id)
  const [waiting] = await lockWaiters(stage.db)
  await sql`select pg_cancel_backend(${waiting})`.execute(stage.db)
  usage.count(id)
  await held.commit().execute()
  await eventually(async () => (await timesUsed(id)) === 4)
  await usage.stop()
  assert.equal(await timesUsed(id), 4)
})

test('processes that count the same connections never wait for each other in a circle', async (t) => {
  const [low, high] = await connectTwo()
  const usage = countUsage(stage.db, log, 20)
  const held = await hold(t, low)
  usage.count(high)
  usage.count(low)
  await lockWaiters(stage.db)
  const free = await sql`select from connections where id = ${high} for update skip locked`.execute(stage.db)
  assert.equal(free.rows.length, 1)
  await held.commit().execute()
  await usage.stop()
  assert.deepEqual([await timesUsed(low), await timesUsed(high)], [1, 1])
})

test('what is counted until the stop is written, also while the last counts are being written', async (t) => {
  const [id] = await connectTwo()
  const usage = countUsage(stage.db, log, 20)
  const held = await hold(t, id)
  usage.count(id)
  await lockWaiters(stage.db)
  usage.count(id)
  const stopped = usage.stop()
  await held.commit().execute()
  await stopped
  assert.equal(await timesUsed(id), 2)
})
