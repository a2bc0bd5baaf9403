/** Length of a partition of the log; whole days since 1970. */
export const periodDays = 30

const dayMs = 86_400_000
const periodMs = periodDays * dayMs

/** Start of the period an instant lies in. */
export const periodOf = (instant: Date) => new Date(periodNumber(instant) * periodMs)

/** How many periods since 1970 ended before the one an instant lies in. */
export const periodNumber = (instant: Date) => Math.floor(instant.getTime() / periodMs)

export const nextPeriod = (period: Date) => new Date(period.getTime() + periodMs)

export const daysBefore = (instant: Date, days: number) => new Date(instant.getTime() - days * dayMs)
