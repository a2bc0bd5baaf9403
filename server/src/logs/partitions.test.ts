import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sql } from 'kysely'
import { demo, serveDemo } from './demo-server.fixture.ts'
import { openSetting, type Setting, send } from './demo-setting.fixture.ts'
import { daysBefore, nextPeriod, periodOf } from './periods.ts'

let setting: Setting
before(async () => {
  setting = await openSetting()
})
after(() => setting.close())

async function partitions(): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select inhrelid::regclass::text as name from pg_inherits where inhparent = 'api_logs'::regclass order by 1`.execute(
    setting.database.db,
  )
  return rows.map(({ name }) => name)
}

test('periods roll over and old ones are dropped under load, with no failed request', { timeout: 60_000 }, async () => {
  let now = new Date('2026-01-01T00:00:00Z')
  const served = await serveDemo({ ...setting, now: () => now })
  let stopped = false
  const ids: string[] = []
  const lanes = Array.from({ length: 6 }, async (_, lane) => {
    while (!stopped) {
      const { status, id } = await send(
        served.origin,
        lane % 2 ? 'GET' : 'PUT',
        lane % 2 ? '/wms/orders' : '/wms/orders/1',
      )
      assert.equal(status, 200)
      ids.push(id)
      assert.equal((await send(served.origin, 'GET', '/api-logs?limit=5')).status, 200)
    }
  })
  for (let step = 0; step < 12; step++) {
    const before = ids.length
    // a period without maintenance in between is made when its first entry comes
    now = new Date(nextPeriod(now).getTime() + (step % 3 ? 0 : 40 * 86_400_000))
    while (ids.length < before + 12) await Promise.race([...lanes, new Promise(setImmediate)])
    await served.log.maintain(now)
    const oldest = periodOf(daysBefore(now, demo.retentionDays))
    const starts = (await partitions()).map((name) => name.slice(-8))
    assert.ok(starts.every((start) => start >= oldest.toISOString().slice(0, 10).replaceAll('-', '')))
    assert.ok(starts.includes(nextPeriod(periodOf(now)).toISOString().slice(0, 10).replaceAll('-', '')))
  }
  stopped = true
  await Promise.all(lanes)
  await served.stop()
  const { rows } = await sql<{ expired: string }>`
    select count(*) as expired from api_log_series where period < ${periodOf(daysBefore(now, demo.retentionDays))}`.execute(
    setting.database.db,
  )
  assert.equal(rows[0]!.expired, '0')
})

test('a drop that was interrupted is finished by the next', async () => {
  const now = new Date('2030-01-01T00:00:00Z')
  const served = await serveDemo({ ...setting, now: () => now })
  const [current] = await partitions()
  await sql.raw(`alter table api_logs detach partition ${current}`).execute(setting.database.db)
  await served.log.maintain(new Date('2031-01-01T00:00:00Z'))
  const { rows } = await sql`select to_regclass(${current}) as name`.execute(setting.database.db)
  assert.deepEqual(rows, [{ name: null }])
  await served.stop()
})
