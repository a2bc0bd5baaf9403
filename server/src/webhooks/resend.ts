import { sql } from 'kysely'
import type { Db } from '../db/schema.ts'
import { deliveriesChannel } from './channel.ts'
import { testEventType } from './event-types.ts'

/** Sends one event again: to one endpoint, or to those it went to, or to all that want it where there were none. */
export async function redeliver(
  db: Db,
  event: { id: string; organizationId: string },
  endpointId: string | null,
): Promise<number> {
  return enqueue(
    db,
    sql`
      select event.id, endpoint.id from webhook_events event
      join webhook_endpoints endpoint on endpoint.organization_id = event.organization_id
        and endpoint.status = 'enabled'
      where event.id = ${event.id} and event.organization_id = ${event.organizationId} and ${unlessSilent}
        and case
          when ${endpointId}::uuid is not null then endpoint.id = ${endpointId}::uuid
          when exists (select from webhook_deliveries where event_id = event.id)
          then exists (select from webhook_deliveries where event_id = event.id and endpoint_id = endpoint.id)
          else ${wanted} end`,
    sql`true`,
  )
}

/**
 * Sends an endpoint everything since a time that it wants and never took, also what happened while it was disabled.
 * @returns how many events
 */
export async function recover(db: Db, endpointId: string, since: Date): Promise<number> {
  return enqueue(
    db,
    sql`
      select event.id, endpoint.id from webhook_endpoints endpoint
      join webhook_events event on event.organization_id = endpoint.organization_id
        and event.created_at >= greatest(endpoint.created_at, ${since}) and ${wanted} and ${unlessSilent}
      where endpoint.id = ${endpointId}::uuid`,
    sql`delivery.status <> 'succeeded'`,
  )
}

/** Nothing is sent of a connection whose events are switched off. */
const unlessSilent = sql`not exists (
  select from connections where id = event.connection_id and webhooks_disabled)`

const wanted = sql`event.event_type <> ${testEventType}
  and (endpoint.event_types = '{}' or event.event_type = any(endpoint.event_types))`

/** Starts their retry schedule anew; what is being sent at this moment is left alone. */
async function enqueue(db: Db, pairs: ReturnType<typeof sql>, where: ReturnType<typeof sql>): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with enqueued as (
      insert into webhook_deliveries as delivery (event_id, endpoint_id) ${pairs}
      on conflict (event_id, endpoint_id) do update
      set status = 'pending', due_at = '-infinity', tries = 0, first_tried_at = null
      where (delivery.leased_until is null or delivery.leased_until <= now()) and ${where}
      returning 1
    ), told as (
      select pg_notify(${deliveriesChannel}, '') where exists (select from enqueued)
    )
    select (select count(*)::integer from enqueued) as count, (select count(*) from told) as told`.execute(db)
  return rows[0]!.count
}
