/**
 * Tryton's typed JSON as plain values: `Decimal` as a number, `datetime` (always UTC) and `date` (at midnight UTC, since
 * Tryton names no time) as ISO 8601.
 */
export function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain)
  if (value === null || typeof value !== 'object') return value
  const typed = value as Typed
  switch (typed.__class__) {
    case 'Decimal':
      return Number(typed.decimal)
    case 'date':
      return `${day(typed)}T00:00:00.000Z`
    case 'datetime': {
      const time = [typed.hour, typed.minute, typed.second].map((part) => pad(part, 2)).join(':')
      return `${day(typed)}T${time}.${pad(Math.floor(typed.microsecond / 1000), 3)}Z`
    }
  }
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, plain(inner)]))
}

export const toDatetime = (instant: Date) => ({
  __class__: 'datetime',
  year: instant.getUTCFullYear(),
  month: instant.getUTCMonth() + 1,
  day: instant.getUTCDate(),
  hour: instant.getUTCHours(),
  minute: instant.getUTCMinutes(),
  second: instant.getUTCSeconds(),
  microsecond: instant.getUTCMilliseconds() * 1000,
})

/** The day, in UTC, of an ISO 8601 instant. */
export function toDate(instant: string) {
  const day = new Date(instant)
  return { __class__: 'date', year: day.getUTCFullYear(), month: day.getUTCMonth() + 1, day: day.getUTCDate() }
}

/** Prices have four digits unless Tryton is configured otherwise. */
export const toDecimal = (amount: number) => ({ __class__: 'Decimal', decimal: amount.toFixed(4) })

interface Typed {
  __class__?: string
  decimal: string
  year: number
  month: number
  day: number
  hour: number
  minute: number
  second: number
  microsecond: number
}

const day = ({ year, month, day }: Typed) => `${pad(year, 4)}-${pad(month, 2)}-${pad(day, 2)}`
const pad = (part: number, digits: number) => String(part).padStart(digits, '0')
