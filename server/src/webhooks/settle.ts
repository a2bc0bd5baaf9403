import { sql } from 'kysely'
import type { Db, WebhookAttempt } from '../db/schema.ts'
import type { Outcome } from './attempt.ts'
import type { Claim } from './claim.ts'
import { commitLazily } from './lazy-commit.ts'
import { nextAttempt } from './retry-schedule.ts'

/** What came of a claim; a null outcome hands it back untried. */
export interface Settlement {
  claim: Claim
  outcome: Outcome | null
}

export interface DisabledEndpoint {
  id: string
  reason: string
}

/**
 * Writes what came of attempts, and when to try again; a delivery that was called off meanwhile is not tried again. An
 * endpoint that answers 410, or has only failed for five days, is disabled; its waiting deliveries rest.
 * @returns the endpoints disabled by this
 */
export async function settle(
  db: Db,
  settlements: readonly Settlement[],
  schedule: readonly number[],
  now: Date,
): Promise<DisabledEndpoint[]> {
  const which = (matches: (outcome: Outcome) => boolean) => [
    ...new Set(settlements.flatMap(({ claim, outcome }) => (outcome && matches(outcome) ? claim.endpointId : []))),
  ]
  const well = which((outcome) => outcome.succeeded)
  const gone = which((outcome) => outcome.gone)
  const failed = which((outcome) => !outcome.succeeded).filter((id) => gone.includes(id) || !well.includes(id))
  const disabled = failed.length > 0 ? await recordFailures(db, failed, gone, now) : []
  const rows = settlements.map((settlement) => rowOf(settlement, schedule, now))
  await sql`
    with healed as (
      update webhook_endpoints set failing_since = null where id = any(${well}::uuid[]) and failing_since is not null
    )
    update webhook_deliveries delivery set
      leased_until = null, tries = done.tries, first_tried_at = done.first_tried_at,
      status = case when delivery.status = 'pending' or done.status = 'succeeded' then done.status else delivery.status end,
      due_at = case when delivery.status = 'pending' then done.due_at end,
      attempts = case when done.attempt is null then attempts else attempts || done.attempt end
    from unnest(
      ${rows.map((row) => row.claim.eventId)}::uuid[],
      ${rows.map((row) => row.claim.endpointId)}::uuid[],
      ${rows.map((row) => row.claim.fence)}::integer[],
      ${rows.map((row) => row.status)}::text[],
      ${rows.map((row) => row.dueAt)}::timestamptz[],
      ${rows.map((row) => row.tries)}::smallint[],
      ${rows.map((row) => row.firstTriedAt)}::timestamptz[],
      ${rows.map((row) => row.attempt)}::jsonb[]
    ) as done (event_id, endpoint_id, fence, status, due_at, tries, first_tried_at, attempt)
    where delivery.event_id = done.event_id and delivery.endpoint_id = done.endpoint_id
      and delivery.fence = done.fence and ${commitLazily}`.execute(db)
  return disabled
}

function rowOf({ claim, outcome }: Settlement, schedule: readonly number[], now: Date) {
  if (outcome === null) {
    return { claim, status: 'pending', dueAt: now, tries: claim.tries, firstTriedAt: claim.firstTriedAt, attempt: null }
  }
  const firstTriedAt = claim.firstTriedAt ?? new Date(outcome.attempted_at)
  const tries = claim.tries + 1
  const over = outcome.succeeded || outcome.gone
  const dueAt = over ? null : nextAttempt(schedule, claim.eventId, tries, firstTriedAt, now, outcome.retryAfterMs)
  const { attempted_at, status_code, error, answer, duration_ms } = outcome
  const attempt: WebhookAttempt = { attempted_at, status_code, error, answer, duration_ms }
  const status = outcome.succeeded ? 'succeeded' : dueAt === null ? 'failed' : 'pending'
  return { claim, status, dueAt, tries, firstTriedAt, attempt: JSON.stringify(attempt) }
}

const hourMs = 3_600_000
const disabledAfterMs = 5 * 24 * hourMs
/** Longer than any message waits for its next attempt: failures that far apart are not one outage. */
const quietMs = 48 * hourMs

/** @param failed endpoints that took nothing now; of them, `gone` answered 410 */
async function recordFailures(
  db: Db,
  failed: readonly string[],
  gone: readonly string[],
  now: Date,
): Promise<DisabledEndpoint[]> {
  const before = (ms: number) => new Date(now.getTime() - ms)
  const isGone = sql`id = any(${gone})`
  const goesOn = sql`last_failed_at > ${before(quietMs)}`
  const forLong = sql`(failing_since <= ${before(disabledAfterMs)} and ${goesOn})`
  const { rows } = await sql<{ id: string; status: string; reason: string }>`
    update webhook_endpoints set
      failing_since = case when ${goesOn} then coalesce(failing_since, ${now}) else ${now} end,
      last_failed_at = ${now},
      status = case when ${isGone} or ${forLong} then 'disabled' else status end,
      disabled_reason = case
        when ${isGone} then 'The receiver answered 410 Gone'
        when ${forLong} then 'Every delivery has failed for 5 days' end
    where id = any(${failed}) and status = 'enabled' and (
      failing_since is null or last_failed_at <= ${before(hourMs)} or ${isGone} or ${forLong})
    returning id, status, disabled_reason as reason`.execute(db)
  return rows.filter(({ status }) => status === 'disabled')
}
