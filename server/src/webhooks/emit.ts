import { sql } from 'kysely'
import { jsonArray } from '../db/json-array.ts'
import type { Db } from '../db/schema.ts'
import { deliveriesChannel } from './channel.ts'

/** Something that happened to a connection or to one of its records. */
export interface Event {
  type: string
  /** The record it is about; null for events of the connection itself. */
  resourceId: string | null
  data: unknown
  /** Changed fields with their old values, by dot path; only on updates. */
  previousAttributes?: Record<string, unknown>
}

/** Whose events these are, as every envelope tells. */
export interface EventSource extends EventOrigin {
  connectionId: string
}

/** A source that may have no connection: an install that failed. */
export interface EventOrigin {
  organizationId: string
  connectionId: string | null
  customerId: string | null
  integrationName: string
  integrationType: string
  webhooksDisabled: boolean
}

/**
 * Writes events in the transaction of the change they tell of, one delivery for each endpoint that wants them, and
 * wakes the deliverers at its commit; what is rolled back was never told. Secrets do not belong into `data`: the access
 * token of `connection.created` is put in when the message is sent.
 */
export async function emit(trx: Db, source: EventOrigin, events: readonly Event[]): Promise<void> {
  if (source.webhooksDisabled || events.length === 0) return
  const messages = events.map((event) => messageOf(source, event))
  await sql`
    with happened as (
      insert into webhook_events (organization_id, connection_id, event_type, resource_id, payload, full_payload)
      select ${source.organizationId}, ${source.connectionId}, type, resource_id, payload, full_payload
      from unnest(
        ${events.map((event) => event.type)}::text[],
        ${events.map((event) => event.resourceId)}::text[],
        ${jsonArray(messages.map((message) => message.payload))}::json[],
        ${jsonArray(messages.map((message) => message.fullPayload))}::json[]
      ) as happened (type, resource_id, payload, full_payload)
      where not exists (select from connections where id = ${source.connectionId} and webhooks_disabled)
      returning id, event_type
    ), wanted as (
      insert into webhook_deliveries (event_id, endpoint_id)
      select happened.id, endpoint.id from happened join webhook_endpoints endpoint
        on endpoint.organization_id = ${source.organizationId} and endpoint.status = 'enabled'
        and (endpoint.event_types = '{}' or happened.event_type = any(endpoint.event_types))
      returning 1
    )
    select pg_notify(${deliveriesChannel}, '') where exists (select from wanted)`.execute(trx)
}

/** Past this many bytes an event is thin: it names the record and where to fetch the whole. */
export const payloadLimit = 256 * 1024

function messageOf(source: EventOrigin, event: Event): { payload: string; fullPayload: string | null } {
  const envelope = {
    connection_id: source.connectionId,
    customer_id: source.customerId,
    event_type: event.type,
    integration_name: source.integrationName,
    integration_type: source.integrationType,
  }
  const payload = JSON.stringify({ ...envelope, data: event.data, previous_attributes: event.previousAttributes })
  if (Buffer.byteLength(payload) <= payloadLimit) return { payload, fullPayload: null }
  const data = { id: event.resourceId }
  return { payload: JSON.stringify({ ...envelope, data, data_truncated: true }), fullPayload: payload }
}
