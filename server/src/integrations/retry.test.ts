import assert from 'node:assert/strict'
import { test } from 'node:test'
import { defaultRetry, retryWaitMs } from './retry.ts'

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
