import { sql } from 'kysely'
import type { Db } from '../db/schema.ts'
import { commitLazily } from './lazy-commit.ts'

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
  /** The secret before the last rotation while it is still valid. */
  previousSecretSealed: Buffer | null
}

/**
 * Claims deliveries that are due: of each endpoint its first attempts before its retries, and of the endpoints now this
 * one first and now that one. Each endpoint's queue is a range of its own in the index, so that neither retries that
 * wait nor a receiver that is down cost the others anything.
 * @param allowances how many a known endpoint may be sent now; the others `perEndpoint`
 */
export async function claimDue(
  db: Db,
  count: number,
  allowances: Readonly<Record<string, number>>,
  perEndpoint: number,
  now: Date,
  leaseMs: number,
): Promise<Claim[]> {
  const { rows } = await sql<Claim>`
    with endpoint as materialized (
      select id, coalesce((${JSON.stringify(allowances)}::jsonb ->> id::text)::integer, ${perEndpoint}) as allowed
      from webhook_endpoints where status = 'enabled' order by random()
    ), due as materialized (
      select delivery.event_id, delivery.endpoint_id from endpoint cross join lateral (
        select event_id, endpoint_id from webhook_deliveries
        where endpoint_id = endpoint.id and due_at <= ${now} and (leased_until is null or leased_until <= ${now})
        order by due_at limit endpoint.allowed for update skip locked
      ) delivery
      where endpoint.allowed > 0 limit ${count}
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
      case when endpoint.previous_secret_expires_at > ${now} then endpoint.previous_secret_sealed end
        as "previousSecretSealed"
    from claimed
    join webhook_events event on event.id = claimed.event_id
    join webhook_endpoints endpoint on endpoint.id = claimed.endpoint_id`.execute(db)
  return rows
}
