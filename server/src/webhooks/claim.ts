import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../db/schema.ts'
import { retiredSecretsOf } from './endpoint-secret.ts'
import { commitLazily } from './lazy-commit.ts'
import type { Allowances } from './pace.ts'

/** The right to send one event to one endpoint until the lease ends, and all that is needed to do so. */
export interface Claim {
  eventId: string
  endpointId: string
  fence: number
  tries: number
  firstTriedAt: Date | null
  eventType: string
  connectionId: string | null
  /** JSON text. */
  payload: string
  truncated: boolean
  url: string
  secretSealed: Buffer
  /** Secrets that were rotated away and are still valid. */
  retiredSecretsSealed: Buffer[]
}

/**
 * Claims deliveries that are due: of each endpoint its first attempts before its retries, and of the endpoints now this
 * one first and now that one. Each endpoint's queue is a range of its own in the index, so that neither retries that
 * wait nor a receiver that is down cost the others anything. Those that keep failing come first, as far as they may.
 */
export async function claimDue(
  db: Db,
  count: number,
  allowances: Allowances,
  now: Date,
  leaseMs: number,
): Promise<Claim[]> {
  const { each, failing, failingTogether } = allowances
  const dueOf = (which: RawBuilder<unknown>) => sql`
    select delivery.event_id, delivery.endpoint_id from endpoint cross join lateral (
      select event_id, endpoint_id from webhook_deliveries
      where endpoint_id = endpoint.id and due_at <= ${now} and (leased_until is null or leased_until <= ${now})
      order by due_at limit endpoint.allowed for update skip locked
    ) delivery where allowed > 0 and ${which}`
  const { rows } = await sql<Claim>`
    with endpoint as materialized (
      select id, coalesce((${JSON.stringify(each)}::jsonb ->> id::text)::integer, 1) as allowed,
        id = any(${failing}::uuid[]) as failing
      from webhook_endpoints where status = 'enabled' order by random()
    ), due as materialized (
      (${dueOf(sql`failing`)} limit ${failingTogether})
      union all
      (${dueOf(sql`not failing`)})
      limit ${count}
    ), claimed as (
      update webhook_deliveries delivery
      set fence = fence + 1, leased_until = ${new Date(now.getTime() + leaseMs)}
      from due where delivery.event_id = due.event_id and delivery.endpoint_id = due.endpoint_id and ${commitLazily}
      returning delivery.*
    )
    select claimed.event_id as "eventId", claimed.endpoint_id as "endpointId", claimed.fence, claimed.tries,
      claimed.first_tried_at as "firstTriedAt", event.event_type as "eventType", event.connection_id as "connectionId",
      event.payload, event.full_payload is not null as truncated, endpoint.url,
      endpoint.secret_sealed as "secretSealed",
      ${retiredSecretsOf(sql`endpoint.id`, now)} as "retiredSecretsSealed"
    from claimed
    join webhook_events event on event.id = claimed.event_id
    join webhook_endpoints endpoint on endpoint.id = claimed.endpoint_id`.execute(db)
  return rows
}
