import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { nextAttempt, retrySchedule } from './retry-schedule.ts'

const first = new Date('2026-11-20T08:00:00Z')

test('every attempt is within 20 % of its time after the first, later than the one before, and ten are all', () => {
  fc.assert(
    fc.property(fc.uuid({ version: 4 }), (id) => {
      let now = first
      for (let tries = 1; tries < 10; tries++) {
        const next = nextAttempt(retrySchedule, id, tries, first, now, 0)!
        const ratio = (next.getTime() - first.getTime()) / retrySchedule[tries]!
        assert.ok(ratio >= 0.8 && ratio <= 1.2, `attempt ${tries} at ${ratio}`)
        assert.ok(next > now)
        now = next
      }
      assert.equal(nextAttempt(retrySchedule, id, 10, first, now, 0), null)
    }),
  )
})

test('events of one burst do not come back as one', () => {
  const times = Array.from({ length: 100 }, () => nextAttempt(retrySchedule, crypto.randomUUID(), 4, first, first, 0)!)
  assert.ok(new Set(times.map(Number)).size > 90)
})

test('a receiver that asks for more time gets it', () => {
  const next = nextAttempt(retrySchedule, crypto.randomUUID(), 1, first, first, 3_600_000)
  assert.equal(next?.toISOString(), '2026-11-20T09:00:00.000Z')
})

test('an attempt that came late is not followed by the next at once', () => {
  const late = new Date(first.getTime() + 3 * 24 * 3_600_000)
  const next = nextAttempt(retrySchedule, crypto.randomUUID(), 2, first, late, 0)!
  assert.ok(next.getTime() - late.getTime() > 4_000)
})
