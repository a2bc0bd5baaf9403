import assert from 'node:assert/strict'
import { test } from 'node:test'
import { retryAfterSeconds } from './retry-after.ts'

test('Retry-After is read as seconds or as a date', () => {
  const now = new Date('2026-11-20T08:00:00Z')
  assert.equal(retryAfterSeconds('12', now), 12)
  assert.equal(retryAfterSeconds('Fri, 20 Nov 2026 08:01:00 GMT', now), 60)
  assert.equal(retryAfterSeconds('Fri, 20 Nov 2026 07:00:00 GMT', now), 0)
  for (const senseless of ['soon', '', null, undefined]) assert.equal(retryAfterSeconds(senseless, now), null)
})
