import { Type } from 'typebox'
import type { Db } from '../db/schema.ts'
import { errors } from '../errors.ts'
import { deleted } from '../http/answers.ts'
import type { App } from '../http/app.ts'
import { cutPage, pageOf, pageToken, pageTokenFaults, readPageToken } from '../http/pages.ts'
import type { NetworkGuard } from '../network/guard.ts'
import { oneOf, text, textOrNull, timestamp } from '../resources/define.ts'
import type { Vault } from '../secrets.ts'
import { checkEndpointAddress } from './endpoint-address.ts'
import {
  createEndpoint,
  deleteEndpoint,
  getEndpoint,
  listEndpoints,
  revealEndpoint,
  rotateSecret,
  updateEndpoint,
} from './endpoints.ts'
import { eventAnswer } from './event-routes.ts'
import { eventTypes } from './event-types.ts'
import { getEvent } from './events.ts'
import { recover } from './resend.ts'
import { sendTestMessage } from './send-test-message.ts'

export interface EndpointRouteParts {
  db: Db
  vault: Vault
  guard: NetworkGuard
}

export function endpointRoutes(app: App, { db, vault, guard }: EndpointRouteParts) {
  const tags = ['Webhooks']
  const config = { access: 'key' } as const
  const params = Type.Object({ webhook_endpoint_id: text })

  app.get(
    '/webhook-endpoints',
    {
      config: { ...config, alsoCheckQuery: pageTokenFaults(listOf) },
      schema: {
        tags,
        summary: 'List webhook endpoints',
        querystring: Type.Object({ page_token: pageToken }, { additionalProperties: false }),
        response: { 200: pageOf(endpoint) },
      },
    },
    async ({ organizationId, query }) => {
      const list = listOf({ organizationId })
      const after = readPageToken(query.page_token, list, ['instant', 'uuid'])
      const found = await listEndpoints(db, organizationId, after, pageSize + 1)
      return cutPage(
        found,
        pageSize,
        list,
        (each) => [each.created_at, each.id],
        (each) => each,
      )
    },
  )

  app.post(
    '/webhook-endpoints',
    {
      config,
      schema: {
        tags,
        summary: 'Create a webhook endpoint',
        body: Type.Object(
          { url, description: Type.Optional(description), event_types: Type.Optional(wantedTypes) },
          { additionalProperties: false },
        ),
        response: { 200: endpointAnswer(endpointWithSecret) },
      },
    },
    async ({ organizationId, body }) => {
      await checkEndpointAddress(guard, body.url)
      const wanted = { url: body.url, description: body.description ?? '', event_types: body.event_types ?? [] }
      return { webhook_endpoint: await createEndpoint(db, vault, organizationId, wanted) }
    },
  )

  app.get(
    '/webhook-endpoints/:webhook_endpoint_id',
    {
      config,
      schema: {
        tags,
        summary: 'Read a webhook endpoint with its secret',
        params,
        response: { 200: endpointAnswer(endpointWithSecret) },
      },
    },
    async ({ organizationId, params }) => ({
      webhook_endpoint: await revealEndpoint(db, vault, organizationId, params.webhook_endpoint_id),
    }),
  )

  app.patch(
    '/webhook-endpoints/:webhook_endpoint_id',
    {
      config,
      schema: {
        tags,
        summary: 'Change a webhook endpoint',
        description: 'Enabling an endpoint lets its waiting deliveries go on; `recover` sends what it missed besides.',
        params,
        body: Type.Object(
          {
            url: Type.Optional(url),
            description: Type.Optional(description),
            event_types: Type.Optional(wantedTypes),
            status: Type.Optional(status),
          },
          { additionalProperties: false, minProperties: 1 },
        ),
        response: { 200: endpointAnswer(endpoint) },
      },
    },
    async ({ organizationId, params, body }) => {
      await getEndpoint(db, organizationId, params.webhook_endpoint_id)
      if (body.url !== undefined) await checkEndpointAddress(guard, body.url)
      return { webhook_endpoint: await updateEndpoint(db, organizationId, params.webhook_endpoint_id, body) }
    },
  )

  app.delete(
    '/webhook-endpoints/:webhook_endpoint_id',
    { config, schema: { tags, summary: 'Delete a webhook endpoint', params, response: { 200: deleted } } },
    async ({ organizationId, params }) => {
      await deleteEndpoint(db, organizationId, params.webhook_endpoint_id)
      return { id: params.webhook_endpoint_id, object: 'webhook_endpoint', deleted: true }
    },
  )

  app.post(
    '/webhook-endpoints/:webhook_endpoint_id/rotate-secret',
    {
      config,
      schema: {
        tags,
        summary: 'Give a webhook endpoint a new secret',
        description: 'For 24 hours messages carry a signature of the old secret as well.',
        params,
        response: { 200: endpointAnswer(endpointWithSecret) },
      },
    },
    async ({ organizationId, params }) => ({
      webhook_endpoint: await rotateSecret(db, vault, organizationId, params.webhook_endpoint_id),
    }),
  )

  app.post(
    '/webhook-endpoints/:webhook_endpoint_id/test',
    {
      config,
      schema: {
        tags,
        summary: 'Send a test message',
        description: 'Read the event of the answer to see what the receiver made of it.',
        params,
        response: { 200: eventAnswer },
      },
    },
    async ({ organizationId, params }) => {
      const { id, status } = await getEndpoint(db, organizationId, params.webhook_endpoint_id)
      if (status === 'disabled') throw errors.conflict('This endpoint is disabled; enable it first')
      const eventId = await sendTestMessage(db, organizationId, id)
      return { webhook_event: await getEvent(db, organizationId, eventId) }
    },
  )

  app.post(
    '/webhook-endpoints/:webhook_endpoint_id/recover',
    {
      config,
      schema: {
        tags,
        summary: 'Send everything an endpoint missed',
        description:
          'Enables the endpoint and sends every event since `since` (without it: of the last 30 days) that it wants and has not taken, also those that happened while it was disabled.',
        params,
        body: Type.Object({ since: Type.Optional(timestamp) }, { additionalProperties: false, default: {} }),
        response: {
          200: Type.Object({
            id: text,
            object: text,
            recovered: Type.Integer({ description: 'How many events are being sent.' }),
          }),
        },
      },
    },
    async ({ organizationId, params, body }) => {
      const { id } = await updateEndpoint(db, organizationId, params.webhook_endpoint_id, { status: 'enabled' })
      const recovered = await recover(db, id, new Date(body.since ?? 0))
      return { id, object: 'webhook_endpoint', recovered }
    },
  )
}

const pageSize = 1000

const url = Type.String({ minLength: 1, maxLength: 2048, description: 'http or https; not in a private network.' })
const description = Type.String({ maxLength: 1000 })
const wantedTypes = Type.Array(oneOf(...eventTypes.map((type) => type.event_type)), {
  uniqueItems: true,
  description: 'The events it wants; empty: all.',
})
const status = oneOf('enabled', 'disabled')

const endpoint = Type.Object({
  id: text,
  url: text,
  description: text,
  event_types: Type.Array(text),
  status,
  disabled_reason: textOrNull,
  created_at: timestamp,
})
const endpointWithSecret = Type.Object({ ...endpoint.properties, secret: text })
const endpointAnswer = <Schema extends typeof endpoint | typeof endpointWithSecret>(schema: Schema) =>
  Type.Object({ webhook_endpoint: schema })

const listOf = ({ organizationId }: { organizationId: string }) => ({
  name: 'webhook-endpoints',
  ownerId: organizationId,
})
