import { type TSchema, Type } from 'typebox'
import type { Db } from '../db/schema.ts'
import { deleted, updated } from '../http/answers.ts'
import type { App } from '../http/app.ts'
import { cutPage, pageOf, pageToken, readPageToken } from '../http/pages.ts'
import type { Registry } from '../integrations/registry.ts'
import { integrationTypes, oneOf, text, textOrNull, timestamp, timestampOrNull } from '../resources/define.ts'
import { resources } from '../resources/index.ts'
import { type ConnectionError, listErrors } from '../sync/connection-errors.ts'
import { listFirstSynced, listSchedules, syncStatuses } from '../sync/schedules.ts'
import {
  type Connection,
  deleteConnection,
  findConnectionByToken,
  getConnection,
  listConnections,
  updateConnection,
} from './connections.ts'
import { account } from './install-result.ts'
import { availableActions, disabledFunctionsOf } from './policy.ts'

export function connectionRoutes(
  app: App,
  parts: {
    db: Db
    registry: Registry
    /** Orders the removal of a deleted connection's records. */
    purge(connectionId: string): Promise<void>
  },
) {
  const { db, registry } = parts
  const tags = ['Connections']

  app.get(
    '/connections',
    {
      config: { access: 'key' },
      schema: {
        tags,
        summary: 'List connections',
        querystring: Type.Object(
          {
            access_token: Type.Optional(
              Type.String({ description: 'Only the connection of this access token; an unknown one gives an empty list.' }),
            ),
            page_token: pageToken,
          },
          { additionalProperties: false },
        ),
        response: { 200: pageOf(listItem) },
      },
    },
    async ({ organizationId, query }) => {
      const after = readPageToken(query.page_token, 'connections', ['instant', 'uuid'])
      const found = query.access_token
        ? await findConnectionByToken(db, organizationId, query.access_token)
        : await listConnections(db, organizationId, after, pageSize + 1)
      const errors = await listErrors(
        db,
        found.map((connection) => connection.id),
      )
      return cutPage(
        found,
        pageSize,
        'connections',
        (connection) => [connection.createdAt, connection.id],
        (connection) => ({
          ...summaryOf(connection),
          errors: (errors.get(connection.id) ?? []).map((error) => ({
            ...error,
            affected_endpoints: error.affected_endpoints.map(({ endpoint }) => endpoint),
          })),
        }),
      )
    },
  )

  app.get(
    '/connections/:connection_id',
    {
      config: { access: 'key' },
      schema: {
        tags,
        summary: 'Read a connection',
        params: Type.Object({ connection_id: text }),
        response: { 200: Type.Object({ data: Type.Array(detail) }) },
      },
    },
    async ({ organizationId, params }) => {
      const connection = await getConnection(db, organizationId, params.connection_id)
      return { data: [await detailOf(connection)] }
    },
  )

  app.patch(
    '/connections',
    {
      config: { access: 'connection' },
      schema: {
        tags,
        summary: 'Change a connection',
        body: Type.Object(
          { customer_id: Type.Optional(textOrNull), webhooks_disabled: Type.Optional(Type.Boolean()) },
          { additionalProperties: false, minProperties: 1 },
        ),
        response: { 200: updated },
      },
    },
    async ({ connection, body }) => {
      await updateConnection(db, connection!.id, body)
      return { id: connection!.id, object: 'connection', updated: true }
    },
  )

  app.delete(
    '/connections',
    {
      config: { access: 'connection' },
      schema: {
        tags,
        summary: 'Delete a connection with its data, schedules and access token',
        response: { 200: deleted },
      },
    },
    async ({ organizationId, connection }) => {
      await deleteConnection(db, await getConnection(db, organizationId, connection!.id))
      await parts.purge(connection!.id)
      return { id: connection!.id, object: 'connection', deleted: true }
    },
  )

  async function detailOf(connection: Connection) {
    const integration = registry.get(connection.integrationType, connection.integrationName)
    const [schedules, firstSynced, errors] = await Promise.all([
      listSchedules(db, connection.id),
      listFirstSynced(db, connection.id),
      listErrors(db, [connection.id]),
    ])
    return {
      ...summaryOf(connection),
      errors: errors.get(connection.id) ?? ([] as ConnectionError[]),
      integration_display_name: integration.displayName,
      customer_id: connection.customerId,
      sync_schedules: schedules,
      available_actions: availableActions(integration, disabledFunctionsOf(connection)),
      integration_type: connection.integrationType,
      webhooks_disabled: connection.webhooksDisabled,
      historical_sync_completed: Object.fromEntries(
        historicalFunctions(connection.integrationType).map((name) => [name, firstSynced.includes(name)]),
      ),
      me: connection.me,
    }
  }
}

const pageSize = 1000

/** The functions whose first crawl the detail tells of. */
const historicalFunctions = (type: string) =>
  resources.flatMap((resource) =>
    resource.type === type && !untold.has(resource.readAction) ? resource.readAction : [],
  )

const untold = new Set([
  'get_inventory_ledger',
  'get_labor_activities',
  'get_shipping_methods',
  'get_order_channels',
  'get_inbound_shipment_suppliers',
])

const summaryOf = (connection: Connection) => ({
  connection_id: connection.id,
  integration_name: connection.integrationName,
  created_at: connection.createdAt,
  last_used: connection.lastUsed,
  times_used: connection.timesUsed,
})

const errorOf = <Endpoint extends TSchema>(endpoint: Endpoint) =>
  Type.Object({
    error_message: text,
    affected_endpoints: Type.Array(endpoint),
    first_seen: timestamp,
    last_seen: timestamp,
  })

const summary = {
  connection_id: text,
  integration_name: text,
  created_at: timestamp,
  last_used: timestampOrNull,
  times_used: Type.Integer(),
}

const listItem = Type.Object({ ...summary, errors: Type.Array(errorOf(text)) })

const detail = Type.Object({
  ...summary,
  errors: Type.Array(errorOf(Type.Object({ endpoint: text, preventing_sync: Type.Boolean() }))),
  integration_display_name: text,
  customer_id: textOrNull,
  sync_schedules: Type.Array(
    Type.Object({
      function_name: text,
      last_crawl_start: timestampOrNull,
      last_crawl_end: timestampOrNull,
      latest_data: timestampOrNull,
      sync_frequency: Type.Integer({ description: 'Seconds.' }),
      sync_status: oneOf(...syncStatuses),
    }),
  ),
  available_actions: Type.Array(text),
  integration_type: oneOf(...integrationTypes),
  webhooks_disabled: Type.Boolean(),
  historical_sync_completed: Type.Record(text, Type.Boolean()),
  me: account,
})
