import type { EventSource } from '../webhooks/emit.ts'
import type { Connection } from './find-connections.ts'

/** A connection as the source of its events. */
export const eventSource = (connection: Connection): EventSource => ({
  organizationId: connection.organizationId,
  connectionId: connection.id,
  customerId: connection.customerId,
  integrationName: connection.integrationName,
  integrationType: connection.integrationType,
  webhooksDisabled: connection.webhooksDisabled,
})
