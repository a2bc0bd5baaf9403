import assert from 'node:assert/strict'
import { Writable } from 'node:stream'
import { after, test } from 'node:test'
import { pino } from 'pino'
import { emit } from './emit.ts'
import { getEndpoint, updateEndpoint } from './endpoints.ts'
import { listEvents } from './events.ts'
import { recover } from './resend.ts'
import { retrySchedule } from './retry-schedule.ts'
import { openReceiver, openRig, orderUpdated } from './test-rig.ts'

const rig = await openRig()
after(rig.closeAll)
const { db, organization } = rig
const hourMs = 3_600_000

test('six days of outage: attempts as scheduled, disabled once, and recover sends exactly what is missing', async (t) => {
  let down = false
  const receiver = await openReceiver((_, response) => void response.writeHead(down ? 503 : 200).end())
  t.after(receiver.close)
  const { id } = await rig.endpoint(receiver.url)
  const warnings: string[] = []
  const log = pino(
    { level: 'warn' },
    new Writable({ write: (line, _, done) => done(void warnings.push(String(line)) as never) }),
  )
  const begin = Date.now()
  let clockMs = begin
  const delivery = rig.deliver({ now: () => new Date(clockMs), log })
  t.after(delivery.stop)

  await emit(db, rig.source, [orderUpdated('before 1'), orderUpdated('before 2')])
  await receiver.count(2)
  await quiet()
  const { rows } = await rig.pool.query('select clock_timestamp() as since')
  down = true

  for (let eventAt = begin; clockMs < begin + 6 * 24 * hourMs; ) {
    if (clockMs >= eventAt) {
      await emit(db, rig.source, [orderUpdated(`at ${(eventAt - begin) / hourMs} h`)])
      eventAt += 8 * hourMs
    }
    await quiet()
    clockMs = Math.min(eventAt, (await nextDue()) ?? eventAt)
  }

  const disabled = await getEndpoint(db, organization.id, id)
  assert.equal(disabled.status, 'disabled')
  assert.match(disabled.disabled_reason!, /5 days/)
  assert.equal(warnings.filter((line) => line.includes('disabled')).length, 1)

  const events = await listEvents(db, organization.id, { start_time: rows[0].since.toISOString() }, null, 100)
  const tried = events.filter((event) => event.deliveries.length > 0)
  const attempts = tried.map((event) =>
    event.deliveries[0]!.attempts.map(({ attempted_at }) => Date.parse(attempted_at)),
  )
  for (const [first, ...later] of attempts) {
    for (const [i, at] of later.entries()) {
      const ratio = (at - first!) / retrySchedule[i + 1]!
      assert.ok(ratio >= 0.8 && ratio <= 1.2, `attempt ${i + 2} at ${ratio} of its time`)
    }
  }
  assert.ok(attempts.filter((times) => times.length === 10).length >= 8)
  const lastAttempt = Math.max(...attempts.flat())
  assert.ok(lastAttempt >= begin + 5 * 24 * hourMs && lastAttempt < begin + 5.4 * 24 * hourMs)
  assert.ok(events.length - tried.length >= 1, 'events while disabled')

  down = false
  receiver.received.length = 0
  await updateEndpoint(db, organization.id, id, { status: 'enabled' })
  const recovered = await recover(db, id, rows[0].since)
  assert.equal(recovered, events.length)
  await receiver.count(events.length)
  await quiet()
  assert.deepEqual(
    receiver.received.map(({ headers }) => headers['webhook-id']).sort(),
    events.map((event) => event.id).sort(),
  )
  assert.equal(await recover(db, id, rows[0].since), 0)

  /** Until nothing is due at the moved clock, or the endpoint is disabled. */
  async function quiet() {
    for (;;) {
      const { rows } = await rig.pool.query(
        `select count(*)::integer as open from webhook_deliveries d join webhook_endpoints e on e.id = d.endpoint_id
         where e.status = 'enabled' and d.due_at <= $1`,
        [new Date(clockMs)],
      )
      if (rows[0].open === 0) return
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
  }

  async function nextDue(): Promise<number | null> {
    const { rows } = await rig.pool.query(
      `select min(d.due_at) as due from webhook_deliveries d join webhook_endpoints e on e.id = d.endpoint_id
       where e.status = 'enabled'`,
    )
    return rows[0].due?.getTime() ?? null
  }
})
