/**
 * The instant in the one form it is kept in, `2026-11-20T08:15:30.123Z`; null where the value is no instant between
 * the years 1 and 9999. Takes a `Date` or ISO 8601 with an offset; digits beyond milliseconds are cut.
 */
export function canonicalTimestamp(value: unknown): string | null {
  if (typeof value !== 'string') return value instanceof Date ? written(value.getTime()) : null
  if (!common.test(value)) return converted(value)
  if (!value.endsWith('Z')) return written(Date.parse(value))
  return value.length === canonicalLength ? value : `${value.slice(0, 19)}.${milliseconds(value.slice(20, -1))}Z`
}

const canonicalLength = '2026-11-20T08:15:30.123Z'.length
const milliseconds = (fraction: string) => fraction.slice(0, 3).padEnd(3, '0')

// The engine reads this form itself. Days 29 to 31 are not in every month, which it does not notice: the long way.
const common =
  /^(?!0000)\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/

const iso =
  /^(\d{4}-\d\d-(\d\d))[T ]([01]\d|2[0-3]):?([0-5]\d)(?::?([0-5]\d)(?:[.,](\d+))?)?(?:Z|([+-])([01]\d|2[0-3])(?::?([0-5]\d))?)$/i

function converted(value: string): string | null {
  const parts = iso.exec(value)
  if (!parts) return null
  const [, date, day, hour, minute, second = '00', fraction = '', sign, offsetHours = '0', offsetMinutes = '0'] = parts
  const local = new Date(`${date}T${hour}:${minute}:${second}.${milliseconds(fraction)}Z`)
  // the engine turns 30 February into 2 March instead of refusing it
  if (local.getUTCDate() !== Number(day)) return null
  const offsetMs = (Number(offsetHours) * 60 + Number(offsetMinutes)) * 60_000
  return written(local.getTime() - (sign === '-' ? -offsetMs : offsetMs))
}

const earliestMs = Date.parse('0001-01-01T00:00:00.000Z')
const latestMs = Date.parse('9999-12-31T23:59:59.999Z')

function written(timeMs: number): string | null {
  return timeMs >= earliestMs && timeMs <= latestMs ? new Date(timeMs).toISOString() : null
}
