import assert from 'node:assert/strict'
import { test } from 'node:test'
import { defaultRetry, retryAfterSeconds, retryWaitMs } from './retry.ts'

const first = { attempt: 1, elapsedMs: 0, retryAfterSeconds: null }

test('waits double with each attempt and are spread by half either way', () => {
  for (const [attempt, plainMs] of [
    [1, 500],
    [2, 1000],
  ] as const) {
    const waits = [0, 0.5, 1].map((random) => retryWaitMs(defaultRetry, { ...first, attempt }, () => random))
    assert.deepEqual(waits, [plainMs / 2, plainMs, plainMs * 1.5])
  }
})

test('a wait that was asked for is kept to, up to the longest allowed', () => {
  assert.equal(retryWaitMs(defaultRetry, { ...first, retryAfterSeconds: 30 }), 30_000)
  assert.equal(retryWaitMs(defaultRetry, { ...first, retryAfterSeconds: 31 }), null)
})

test('it gives up after the last attempt and at the end of the window', () => {
  assert.equal(retryWaitMs(defaultRetry, { ...first, attempt: 3 }), null)
  assert.equal(retryWaitMs(defaultRetry, { ...first, elapsedMs: 90_000 }), null)
})

test('Retry-After is read as seconds or as a date', () => {
  const now = new Date('2026-11-20T08:00:00Z')
  assert.equal(retryAfterSeconds('12', now), 12)
  assert.equal(retryAfterSeconds('Fri, 20 Nov 2026 08:01:00 GMT', now), 60)
  assert.equal(retryAfterSeconds('Fri, 20 Nov 2026 07:00:00 GMT', now), 0)
  assert.equal(retryAfterSeconds('soon', now), null)
  assert.equal(retryAfterSeconds(null, now), null)
})
