import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { canonicalTimestamp } from './timestamp.ts'

const written: [given: string, kept: string][] = [
  ['2026-11-20T08:15:30.123Z', '2026-11-20T08:15:30.123Z'],
  ['2026-11-20T08:15:30Z', '2026-11-20T08:15:30.000Z'],
  ['2026-11-20T08:15Z', '2026-11-20T08:15:00.000Z'],
  ['2026-11-20t08:15:30.1z', '2026-11-20T08:15:30.100Z'],
  ['2026-11-20T08:15:30.123999Z', '2026-11-20T08:15:30.123Z'],
  ['2026-11-20T08:15:30,5+01:00', '2026-11-20T07:15:30.500Z'],
  ['2026-11-20 08:15:30+00', '2026-11-20T08:15:30.000Z'],
  ['2026-11-20T23:15:30-0330', '2026-11-21T02:45:30.000Z'],
  ['2024-02-29T00:00:00.000Z', '2024-02-29T00:00:00.000Z'],
  ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
]
for (const [given, kept] of written) {
  test(`${given} is kept as ${kept}`, () => assert.equal(canonicalTimestamp(given), kept))
}

const refused: unknown[] = [
  '2026-11-20T08:15:30',
  '2026-11-20',
  '2026-02-30T00:00:00.000Z',
  '2025-02-29T00:00:00Z',
  '2026-13-01T00:00:00.000Z',
  '2026-11-20T24:00:00.000Z',
  '2026-11-20T08:15:30+24:00',
  '0000-01-01T00:00:00.000Z',
  '0001-01-01T00:00:00+01:00',
  '9999-12-31T23:59:59-01:00',
  ' 2026-11-20T08:15:30Z',
  '20 November 2026 08:15 UTC',
  '',
  1763626530123,
  new Date(Number.NaN),
  null,
]
for (const given of refused) {
  test(`${given instanceof Date ? 'an invalid Date' : JSON.stringify(given)} is no instant`, () =>
    assert.equal(canonicalTimestamp(given), null))
}

test('an instant is the same in every offset and as a Date', () => {
  const instant = fc.date({
    min: new Date('0002-01-01T00:00:00Z'),
    max: new Date('9998-01-01T00:00:00Z'),
    noInvalidDate: true,
  })
  const offsetMinutes = fc.integer({ min: -23 * 60 - 59, max: 23 * 60 + 59 })
  fc.assert(
    fc.property(instant, offsetMinutes, (date, offset) => {
      const clock = new Date(date.getTime() + offset * 60_000).toISOString().slice(0, -1)
      const two = (count: number) => String(count).padStart(2, '0')
      const far = Math.abs(offset)
      const local = `${clock}${offset < 0 ? '-' : '+'}${two(Math.floor(far / 60))}:${two(far % 60)}`
      assert.equal(canonicalTimestamp(local), date.toISOString())
      assert.equal(canonicalTimestamp(date), date.toISOString())
      assert.equal(canonicalTimestamp(date.toISOString()), date.toISOString())
    }),
  )
})
