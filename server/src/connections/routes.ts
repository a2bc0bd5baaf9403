import { type TSchema, Type } from 'typebox'
import type { Db } from '../db/schema.ts'
import { asItIs, deleted, textPage, updated } from '../http/answers.ts'
import type { App } from '../http/app.ts'
import { pageOf, pageToken, pageTokenFaults, readPageToken, writePageToken } from '../http/pages.ts'
import type { Registry } from '../integrations/registry.ts'
import type { Queue } from '../jobs/queue.ts'
import { integrationTypes, oneOf, text, textOrNull, timestamp, timestampOrNull } from '../resources/define.ts'
import { syncStatuses } from '../sync/schedules.ts'
import { listConnectionAnswers } from './answers.ts'
import { updateConnection } from './change-connection.ts'
import { deleteConnection } from './delete-connection.ts'
import { getConnection } from './find-connections.ts'
import { account } from './install-result.ts'
import { connectionAnswers } from './kept-answers.ts'

export function connectionRoutes(
  app: App,
  { db, registry, queue }: { db: Db; registry: Registry; queue: Pick<Queue, 'send'> },
) {
  const tags = ['Connections']
  const answers = connectionAnswers(db, registry)

  app.get(
    '/connections',
    {
      config: { access: 'key', alsoCheckQuery: pageTokenFaults(listOf) },
      schema: {
        tags,
        summary: 'List connections',
        querystring: Type.Object(
          {
            access_token: Type.Optional(
              Type.String({
                description: 'Only the connection of this access token; an unknown one gives an empty list.',
              }),
            ),
            page_token: pageToken,
          },
          { additionalProperties: false },
        ),
        response: { 200: pageOf(listItem) },
      },
    },
    async ({ organizationId, query }, reply) => {
      const list = listOf({ organizationId })
      const after = readPageToken(query.page_token, list)
      const { items, count, next } =
        query.access_token === undefined
          ? await answers.page(organizationId, after, pageSize)
          : await listConnectionAnswers(db, organizationId, { accessToken: query.access_token }, 1)
      const token = next && writePageToken(list, [next[0].toISOString(), next[1]])
      return asItIs(reply, textPage(items, token, count))
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
    async ({ organizationId, params }, reply) => {
      return asItIs(reply, `{"data":[${await answers.detail(organizationId, params.connection_id)}]}`)
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
      config: { access: 'connection', changesAccess: true },
      schema: {
        tags,
        summary: 'Delete a connection with its data, schedules and access token',
        response: { 200: deleted },
      },
    },
    async ({ organizationId, connection }) => {
      await deleteConnection(db, queue, await getConnection(db, organizationId, connection!.id))
      return { id: connection!.id, object: 'connection', deleted: true }
    },
  )
}

const listOf = ({ organizationId }: { organizationId: string }) => ({ name: 'connections', ownerId: organizationId })
const pageSize = 1000

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
