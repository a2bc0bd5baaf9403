import { sql } from 'kysely'
import type { Db } from '../db/schema.ts'

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
export interface EventSource {
  organizationId: string
  connectionId: string
  customerId: string | null
  integrationName: string
  integrationType: string
  webhooksDisabled: boolean
}

/** Of events that no connection stands behind, a failed install for instance. */
export type ConnectionlessSource = Omit<EventSource, 'connectionId'> & { connectionId: null }

/** Writes events in the transaction of the change they tell of; what is rolled back was never told. */
export async function emit(
  trx: Db,
  source: EventSource | ConnectionlessSource,
  events: readonly Event[],
): Promise<void> {
  if (source.webhooksDisabled || events.length === 0) return
  const payloads = events.map((event) =>
    JSON.stringify({
      connection_id: source.connectionId,
      customer_id: source.customerId,
      event_type: event.type,
      integration_name: source.integrationName,
      integration_type: source.integrationType,
      data: event.data,
      previous_attributes: event.previousAttributes,
    }),
  )
  await sql`
    insert into webhook_events (organization_id, connection_id, event_type, resource_id, payload)
    select ${source.organizationId}, ${source.connectionId}, type, resource_id, payload::jsonb
    from unnest(
      ${events.map((event) => event.type)}::text[],
      ${events.map((event) => event.resourceId)}::text[],
      ${payloads}::text[]
    ) as happened (type, resource_id, payload)`.execute(trx)
}
