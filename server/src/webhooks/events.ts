import { sql } from 'kysely'
import type { Db, WebhookAttempt } from '../db/schema.ts'
import { errors } from '../errors.ts'
import { maxPageBytes, type PageKey } from '../http/pages.ts'
import { uuidOrNull } from '../uuid.ts'

/** `pending` while any delivery waits, else `failed` when any was given up, else `succeeded`; `unsent`: nobody wanted it. */
export const eventStatuses = ['pending', 'succeeded', 'failed', 'unsent'] as const
export type EventStatus = (typeof eventStatuses)[number]

export interface WebhookEvent {
  id: string
  event_type: string
  connection_id: string | null
  resource_id: string | null
  created_at: string
  status: EventStatus
  deliveries: WebhookDelivery[]
}

export interface WebhookDelivery {
  webhook_endpoint_id: string
  url: string
  status: 'pending' | 'succeeded' | 'failed'
  /** Null when there is none to come, or it is under way, or the endpoint is disabled. */
  next_attempt_at: string | null
  attempts: WebhookAttempt[]
}

export interface EventFilter {
  event_type?: string | undefined
  connection_id?: string | undefined
  resource_id?: string | undefined
  start_time?: string | undefined
  end_time?: string | undefined
  status?: EventStatus | undefined
}

export interface FoundEvents {
  events: WebhookEvent[]
  /** Key of the last event when there are more after it. */
  next: PageKey | null
}

/** Newest first; ends early rather than grow too large. @param after `created_at` and id of the last one had */
export async function listEvents(
  db: Db,
  organizationId: string,
  filter: EventFilter,
  after: PageKey | null,
  limit: number,
): Promise<FoundEvents> {
  const { connection_id, event_type, resource_id, start_time, end_time, status } = filter
  const conditions = [
    sql`event.organization_id = ${organizationId}`,
    ...(event_type === undefined ? [] : [sql`event.event_type = ${event_type}`]),
    ...(connection_id === undefined ? [] : [sql`event.connection_id = ${uuidOrNull(connection_id)}`]),
    ...(resource_id === undefined ? [] : [sql`event.resource_id = ${resource_id}`]),
    ...(start_time === undefined ? [] : [sql`event.created_at >= ${start_time}::timestamptz`]),
    ...(end_time === undefined ? [] : [sql`event.created_at <= ${end_time}::timestamptz`]),
    ...(status === undefined ? [] : [hasStatus(organizationId, status)]),
    ...(after ? [sql`(event.created_at, event.id) < (${after[0]}::timestamptz, ${after[1]}::uuid)`] : []),
  ]
  // what is answered of an event is a little less than its bytes: the text of jsonb has spaces
  const { rows } = await sql<EventRow & { found: string }>`
    with wanted as (
      select id, event_type, connection_id, resource_id, created_at from webhook_events event
      where ${sql.join(conditions, sql` and `)} order by created_at desc, id desc limit ${limit + 1}),
    sized as (
      select wanted.*, count(*) over () as found, row_number() over newest as place, sum(bytes) over newest as total
      from wanted cross join lateral (
        select 400 + coalesce(octet_length(resource_id), 0)
          + coalesce(sum(200 + octet_length(url) + octet_length(attempts::text)), 0) as bytes
        from webhook_deliveries join webhook_endpoints endpoint on endpoint.id = endpoint_id
        where event_id = wanted.id) as answered
      window newest as (order by created_at desc, id desc))
    select id, event_type, connection_id, resource_id, created_at, found from sized
    where place <= ${limit} and (place = 1 or total <= ${maxPageBytes})
    order by place`.execute(db)
  const events = await withDeliveries(db, rows)
  const last = events.at(-1)
  const more = last !== undefined && Number(rows[0]!.found) > events.length
  return { events, next: more ? [last.created_at, last.id] : null }
}

/** @throws ApiError 404 */
export async function getEvent(
  db: Db,
  organizationId: string,
  id: string,
): Promise<WebhookEvent & { payload: unknown }> {
  const found = await sql<EventRow & { payload: string }>`
    select id, event_type, connection_id, resource_id, created_at, payload from webhook_events
    where id = ${uuidOrNull(id)} and organization_id = ${organizationId}`.execute(db)
  const [event] = await withDeliveries(db, found.rows)
  if (!event) throw errors.notFound('Webhook event', id)
  return { ...event, payload: JSON.parse(found.rows[0]!.payload) }
}

/** JSON text of a whole event, however large; null when there is no such event. */
export async function findWholePayload(db: Db, id: string): Promise<string | null> {
  const { rows } = await sql<{ payload: string }>`
    select coalesce(full_payload, payload) as payload from webhook_events
    where id = ${uuidOrNull(id)}`.execute(db)
  return rows[0]?.payload ?? null
}

interface EventRow {
  id: string
  event_type: string
  connection_id: string | null
  resource_id: string | null
  created_at: Date
}

/** Begins with what is rare: the deliveries that wait or were given up have an index per endpoint. */
function hasStatus(organizationId: string, status: EventStatus) {
  const rare = (condition: ReturnType<typeof sql>) => sql`event.id in (
    select delivery.event_id from webhook_endpoints endpoint
    join webhook_deliveries delivery on delivery.endpoint_id = endpoint.id and ${condition}
    where endpoint.organization_id = ${organizationId})`
  const any = (condition: ReturnType<typeof sql>) =>
    sql`exists (select from webhook_deliveries delivery where delivery.event_id = event.id and ${condition})`
  const pending = sql`delivery.due_at is not null`
  const failed = sql`delivery.status = 'failed'`
  switch (status) {
    case 'pending':
      return rare(pending)
    case 'failed':
      return sql`${rare(failed)} and not ${any(pending)}`
    case 'succeeded':
      return sql`${any(sql`true`)} and not ${any(sql`delivery.status <> 'succeeded'`)}`
    case 'unsent':
      return sql`not ${any(sql`true`)}`
  }
}

async function withDeliveries(db: Db, rows: readonly EventRow[]): Promise<WebhookEvent[]> {
  const found = await sql<Omit<WebhookDelivery, 'next_attempt_at'> & { event_id: string; next: Date | null }>`
    select delivery.event_id, delivery.endpoint_id as webhook_endpoint_id, endpoint.url, delivery.status,
      delivery.attempts,
      case when delivery.leased_until is null and endpoint.status = 'enabled'
        then greatest(delivery.due_at, event.created_at) end as next
    from webhook_deliveries delivery
    join webhook_events event on event.id = delivery.event_id
    join webhook_endpoints endpoint on endpoint.id = delivery.endpoint_id
    where delivery.event_id = any(${rows.map((row) => row.id)}::uuid[])
    order by endpoint.created_at, endpoint.id`.execute(db)
  const deliveries = Map.groupBy(found.rows, (row) => row.event_id)
  return rows.map((row) => {
    const own = (deliveries.get(row.id) ?? []).map(({ event_id: _, next, ...delivery }) => ({
      ...delivery,
      next_attempt_at: delivery.status === 'pending' ? (next?.toISOString() ?? null) : null,
    }))
    return {
      id: row.id,
      event_type: row.event_type,
      connection_id: row.connection_id,
      resource_id: row.resource_id,
      created_at: row.created_at.toISOString(),
      status: statusOf(own.map((delivery) => delivery.status)),
      deliveries: own,
    }
  })
}

function statusOf(deliveries: readonly WebhookDelivery['status'][]): EventStatus {
  if (deliveries.length === 0) return 'unsent'
  return (['pending', 'failed'] as const).find((status) => deliveries.includes(status)) ?? 'succeeded'
}
