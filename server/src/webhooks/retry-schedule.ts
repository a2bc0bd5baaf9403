const second = 1000
const minute = 60 * second
const hour = 60 * minute

/** When a message is tried, in milliseconds after its first attempt. */
export const retrySchedule: readonly number[] = [
  0,
  5 * second,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  20 * hour,
  24 * hour,
]

/**
 * When to try again after `tries` failed attempts; null: never. Every event stretches or shortens the whole schedule by
 * a factor of its own, so that retries of a burst do not come back as one and no two attempts of one event get close.
 * @param retryAfterMs what the receiver asked for; it is not tried sooner
 */
export function nextAttempt(
  schedule: readonly number[],
  eventId: string,
  tries: number,
  firstTriedAt: Date,
  now: Date,
  retryAfterMs: number,
): Date | null {
  const offset = schedule[tries]
  if (offset === undefined) return null
  const planned = firstTriedAt.getTime() + offset * stretchOf(eventId)
  const soonest = now.getTime() + Math.max(retryAfterMs, schedule[1]! * (1 - spread))
  return new Date(Math.max(planned, soonest))
}

/** Jitter of the schedule; what polling adds stays within ±20 %. */
const spread = 0.15

/** Ids are random: their last digits are the dice. */
function stretchOf(eventId: string): number {
  return 1 - spread + 2 * spread * (Number.parseInt(eventId.slice(-8), 16) / 2 ** 32)
}
