/** The year that ends at `now`; instants are ISO 8601 UTC strings and never later than `now`. */
export interface Calendar {
  daysAgo(days: number): string
  /** `days` after an instant, at most `now`. */
  after(instant: string, days: number): string
  /** An expected instant, which may lie ahead. */
  expected(instant: string, days: number): string
  /** How many days ago an instant was. */
  age(instant: string): number
}

export function calendar(now: Date): Calendar {
  const end = now.getTime()
  const iso = (time: number) => new Date(Math.round(time)).toISOString()
  return {
    daysAgo: (days) => iso(end - days * dayMs),
    after: (instant, days) => iso(Math.min(end, Date.parse(instant) + days * dayMs)),
    expected: (instant, days) => iso(Date.parse(instant) + days * dayMs),
    age: (instant) => (end - Date.parse(instant)) / dayMs,
  }
}

/** Sorts by instant; a stable sort keeps the order of equal ones. */
export const byCreated = (a: { created: string }, b: { created: string }) =>
  a.created < b.created ? -1 : a.created > b.created ? 1 : 0

const dayMs = 86_400_000
