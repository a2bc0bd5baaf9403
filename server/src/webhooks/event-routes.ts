import { type Static, Type } from 'typebox'
import type { Db } from '../db/schema.ts'
import { errors } from '../errors.ts'
import { asItIs, wholeList } from '../http/answers.ts'
import type { App } from '../http/app.ts'
import { pageOf, pageToken, pageTokenFaults, readPageToken, writePageToken } from '../http/pages.ts'
import { integerOrNull, oneOf, text, textOrNull, timestamp, timestampOrNull } from '../resources/define.ts'
import type { Vault } from '../secrets.ts'
import { downloadUrl, isDownloadToken } from './download-token.ts'
import { getEndpoint } from './endpoints.ts'
import { eventTypes } from './event-types.ts'
import { eventStatuses, findWholePayload, getEvent, listEvents } from './events.ts'
import { redeliver } from './resend.ts'

export interface EventRouteParts {
  db: Db
  vault: Vault
  publicUrl: string
}

export function eventRoutes(app: App, { db, vault, publicUrl }: EventRouteParts) {
  const tags = ['Webhooks']
  const config = { access: 'key' } as const
  const params = Type.Object({ webhook_event_id: text })

  app.get(
    '/webhook-events',
    {
      config: { ...config, alsoCheckQuery: pageTokenFaults(listOf) },
      schema: {
        tags,
        summary: 'List events and their deliveries',
        description: 'Newest first; kept for 30 days.',
        querystring: eventQuery,
        response: { 200: pageOf(event) },
      },
    },
    async ({ organizationId, query }) => {
      const { page_token, limit, ...filter } = query as Static<typeof eventQuery> & { limit: number }
      const list = listOf({ organizationId })
      const after = readPageToken(page_token, list, ['instant', 'uuid'])
      const { events, next } = await listEvents(db, organizationId, filter, after, limit)
      return { data: events, next_token: next && writePageToken(list, next), total_count: events.length }
    },
  )

  app.get(
    '/webhook-events/:webhook_event_id',
    { config, schema: { tags, summary: 'Read an event with its payload', params, response: { 200: eventAnswer } } },
    async ({ organizationId, params }) => ({
      webhook_event: await getEvent(db, organizationId, params.webhook_event_id),
    }),
  )

  app.post(
    '/webhook-events/:webhook_event_id/redeliver',
    {
      config,
      schema: {
        tags,
        summary: 'Send an event again',
        description: 'To one endpoint, or to all it went to. The message id stays the same.',
        params,
        body: Type.Object({ webhook_endpoint_id: Type.Optional(text) }, { additionalProperties: false, default: {} }),
        response: { 200: eventAnswer },
      },
    },
    async ({ organizationId, params, body }) => {
      const { id } = await getEvent(db, organizationId, params.webhook_event_id)
      const endpoint = body.webhook_endpoint_id ? await getEndpoint(db, organizationId, body.webhook_endpoint_id) : null
      const enqueued = await redeliver(db, { id, organizationId }, endpoint?.id ?? null)
      if (enqueued === 0) throw errors.conflict('No enabled endpoint takes this event, or it is being sent already')
      return { webhook_event: await getEvent(db, organizationId, id) }
    },
  )

  app.get(
    '/webhook-events/:webhook_event_id/data',
    {
      config,
      schema: {
        tags,
        summary: 'Get the address of a whole event',
        description: 'For events whose message was too large; the address is valid for 20 minutes and needs no key.',
        params,
        response: { 200: Type.Object({ download_url: text }) },
      },
    },
    async ({ organizationId, params }) => {
      const { id } = await getEvent(db, organizationId, params.webhook_event_id)
      return { download_url: downloadUrl(vault, publicUrl, id, new Date()) }
    },
  )

  app.get(
    '/webhook-events/:webhook_event_id/download',
    {
      config: { access: 'public' },
      schema: {
        tags,
        summary: 'Download a whole event',
        params,
        querystring: Type.Object({ token: text }, { additionalProperties: false }),
      },
    },
    async ({ params, query }, reply) => {
      const id = params.webhook_event_id
      const payload = isDownloadToken(vault, id, query.token, new Date()) ? await findWholePayload(db, id) : null
      if (payload === null) throw errors.notFound('Download', id)
      return asItIs(reply, payload)
    },
  )

  app.get(
    '/webhook-event-types',
    {
      config,
      schema: {
        tags,
        summary: 'List the types of events, each with a JSON Schema and an example of its message',
        response: { 200: pageOf(eventType) },
      },
    },
    async () => wholeList([...eventTypes]),
  )
}

const eventQuery = Type.Object(
  {
    event_type: Type.Optional(oneOf(...eventTypes.map((type) => type.event_type))),
    connection_id: Type.Optional(text),
    resource_id: Type.Optional(text),
    start_time: Type.Optional(timestamp),
    end_time: Type.Optional(timestamp),
    status: Type.Optional(oneOf(...eventStatuses)),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: 100 })),
    page_token: pageToken,
  },
  { additionalProperties: false },
)

const attempt = Type.Object({
  attempted_at: timestamp,
  status_code: integerOrNull,
  error: textOrNull,
  answer: Type.String({ description: 'The first 2 kB of what the receiver answered.' }),
  duration_ms: Type.Integer(),
})

const event = Type.Object({
  id: text,
  event_type: text,
  connection_id: textOrNull,
  resource_id: textOrNull,
  created_at: timestamp,
  status: oneOf(...eventStatuses),
  deliveries: Type.Array(
    Type.Object({
      webhook_endpoint_id: text,
      url: text,
      status: oneOf('pending', 'succeeded', 'failed'),
      next_attempt_at: timestampOrNull,
      attempts: Type.Array(attempt),
    }),
  ),
})

const eventType = Type.Object({
  event_type: text,
  description: text,
  schema: Type.Unknown(),
  example: Type.Unknown(),
})

/** One event; `payload` is its message as it is kept. */
export const eventAnswer = Type.Object({
  webhook_event: Type.Object({ ...event.properties, payload: Type.Unknown() }),
})

const listOf = ({ organizationId }: { organizationId: string }) => ({ name: 'webhook-events', ownerId: organizationId })
