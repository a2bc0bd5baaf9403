import assert from 'node:assert/strict'
import { Writable } from 'node:stream'
import { after, test } from 'node:test'
import { pino } from 'pino'
import { eventually } from '../eventually.fixture.ts'
import { emit } from './emit.ts'
import { deleteEndpoint, getEndpoint, updateEndpoint } from './endpoints.ts'
import { listEvents } from './events.ts'
import { recover } from './resend.ts'
import { retrySchedule } from './retry-schedule.ts'
import { openReceiver, openRig, orderUpdated } from './rig.fixture.ts'

const rig = await openRig()
after(rig.closeAll)
const { db, organization } = rig
const hourMs = 3_600_000

test('failures days apart, with nothing sent in between, are not one outage', async (t) => {
  const receiver = await openReceiver((_, response) => void response.writeHead(503).end())
  t.after(receiver.close)
  const { id } = await rig.endpoint(receiver.url)
  t.after(() => deleteEndpoint(db, organization.id, id))
  let clockMs = Date.now()
  const delivery = rig.deliver({ now: () => new Date(clockMs), schedule: [0] })
  t.after(delivery.stop)
  for (const [i, day] of ['first', 'sixth', 'twelfth'].entries()) {
    await emit(db, rig.source, [orderUpdated(day)])
    await receiver.count(i + 1)
    await quiet(new Date(clockMs))
    assert.equal((await getEndpoint(db, organization.id, id)).status, 'enabled')
    clockMs += 6 * 24 * hourMs
  }
})

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
  await quiet(new Date(clockMs))
  const taken = new Set(receiver.received.map(({ headers }) => headers['webhook-id']))
  down = true

  for (let eventAt = begin; clockMs < begin + 6 * 24 * hourMs; ) {
    if (clockMs >= eventAt) {
      await emit(db, rig.source, [orderUpdated(`at ${(eventAt - begin) / hourMs} h`)])
      eventAt += 8 * hourMs
    }
    await quiet(new Date(clockMs))
    clockMs = Math.min(eventAt, (await nextDue()) ?? eventAt)
  }

  // what is under way when the endpoint is disabled is left alone by recover
  await eventually(() => delivery.running === 0)
  const disabled = await getEndpoint(db, organization.id, id)
  assert.equal(disabled.status, 'disabled')
  assert.match(disabled.disabled_reason!, /5 days/)
  assert.equal(warnings.filter((line) => line.includes('disabled')).length, 1)

  const { created_at: since } = disabled
  const { events: all } = await listEvents(db, organization.id, { start_time: since }, null, 100)
  const events = all.filter((event) => !taken.has(event.id))
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
  const recovered = await recover(db, id, new Date(since))
  assert.equal(recovered, events.length)
  await receiver.count(events.length)
  await quiet(new Date(clockMs))
  assert.deepEqual(
    receiver.received.map(({ headers }) => headers['webhook-id']).sort(),
    events.map((event) => event.id).sort(),
  )
  assert.equal(await recover(db, id, new Date(since)), 0)

  async function nextDue(): Promise<number | null> {
    const { rows } = await rig.pool.query(
      `select min(d.due_at) as due from webhook_deliveries d join webhook_endpoints e on e.id = d.endpoint_id
       where e.status = 'enabled'`,
    )
    return rows[0].due?.getTime() ?? null
  }
})

/** Until nothing is due then, or the endpoint is disabled. */
const quiet = (at: Date) =>
  eventually(async () => {
    const { rows } = await rig.pool.query(
      `select count(*)::integer as open from webhook_deliveries d join webhook_endpoints e on e.id = d.endpoint_id
       where e.status = 'enabled' and d.due_at <= $1`,
      [at],
    )
    return rows[0].open === 0
  })
