import type { FastifyRequest, onRequestAsyncHookHandler } from 'fastify'
import { Type } from 'typebox'
import type { Db } from '../db/schema.ts'
import type { App } from '../http/app.ts'
import type { Access } from '../http/authenticate.ts'
import { cutPage, pageOf, pageToken, pageTokenFaults, readPageToken } from '../http/pages.ts'
import { oneOf, text } from '../resources/define.ts'
import { flows, requestableTypes } from './flows.ts'
import {
  fileIntegrationRequest,
  flowFaults,
  integrationRequest,
  listIntegrationRequests,
  storedRequest,
} from './integration-requests.ts'

export function integrationRequestRoutes(app: App, { db }: { db: Db }): void {
  const tags = ['Integration requests']

  integrationRequestRoute(app, '/integration-requests', {
    db,
    access: 'key',
    onRequest: [],
    organizationOf: ({ organizationId }) => organizationId,
    summary: 'Ask for an integration',
  })

  app.get(
    '/integration-requests/flows',
    {
      config: { access: 'key' },
      schema: {
        tags,
        summary: 'List what can be asked for',
        querystring: Type.Object(
          { integration_type: Type.Optional(oneOf(...requestableTypes)) },
          { additionalProperties: false },
        ),
        response: { 200: Type.Object({ data: Type.Record(text, Type.Array(text)) }) },
      },
    },
    async ({ query: { integration_type: type } }) => {
      const data: Partial<typeof flows> = type === undefined ? flows : { [type]: flows[type] }
      return { data: data as unknown as Record<string, string[]> }
    },
  )

  app.get(
    '/operator/integration-requests',
    {
      config: { access: 'operator', alsoCheckQuery: pageTokenFaults(() => list) },
      schema: {
        tags: ['Operator'],
        summary: 'List integration requests',
        description: 'Of all organizations, newest first.',
        querystring: Type.Object(
          { limit: Type.Integer({ minimum: 1, maximum: 1000, default: 100 }), page_token: pageToken },
          { additionalProperties: false },
        ),
        response: { 200: pageOf(storedRequest) },
      },
    },
    async ({ query }) => {
      const after = readPageToken(query.page_token, list)
      return cutPage(
        await listIntegrationRequests(db, after, query.limit + 1),
        query.limit,
        list,
        (row) => [row.created_at.toISOString(), row.id],
        (row) => ({ ...row, created_at: row.created_at.toISOString() }),
      )
    },
  )
}

/** Where a wish is filed: by an organization, or on its install page. */
export function integrationRequestRoute(
  app: App,
  path: string,
  parts: {
    db: Db
    access: Access
    onRequest: onRequestAsyncHookHandler[]
    organizationOf(request: FastifyRequest): string
    summary: string
  },
): void {
  app.post(
    path,
    {
      config: { access: parts.access, alsoCheck: flowFaults },
      onRequest: parts.onRequest,
      schema: {
        tags: ['Integration requests'],
        summary: parts.summary,
        body: integrationRequest,
        response: { 200: Type.Object({ success: Type.Boolean() }) },
      },
    },
    async (request) => {
      await fileIntegrationRequest(parts.db, parts.organizationOf(request), request.body)
      return { success: true }
    },
  )
}

const list = { name: 'integration-requests', ownerId: null }
