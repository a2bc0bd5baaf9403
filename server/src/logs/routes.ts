import { type Static, Type } from 'typebox'
import { errors, type FaultTree } from '../errors.ts'
import { asItIs, textPage } from '../http/answers.ts'
import type { App } from '../http/app.ts'
import { maxPageBytes, pageOf, pageToken, pageTokenFaults, readPageToken, writePageToken } from '../http/pages.ts'
import type { Registry } from '../integrations/registry.ts'
import { integrationTypes } from '../resources/define.ts'
import { isUuid } from '../uuid.ts'
import type { ApiLog, Scope } from './api-log.ts'
import { noConnection } from './no-connection.ts'
import { daysBefore } from './periods.ts'

/** Search of the API log: its entries, the values they hold, and their number over time. */
export function logRoutes(
  app: App,
  parts: { log: ApiLog; registry: Pick<Registry, 'names'>; retentionDays: number; now(): Date },
): void {
  const { log, retentionDays, now } = parts
  const names = [...parts.registry.names]
  const ofScope = {
    start_time: instant(`Only requests received at or after it; at most ${retentionDays} days ago.`),
    end_time: instant('Only requests received at or before it; now unless given.'),
    connection_id: Type.Optional(Type.String({ description: 'Only requests against this connection.' })),
    integration_name: Type.Optional(Type.Enum(names, { description: 'A name may exist in several types.' })),
    integration_type: Type.Optional(Type.Enum([...integrationTypes])),
  }
  const common = { tags: ['api-logs'] }

  app.get(
    '/api-logs',
    {
      config: { access: 'key', logged: 'never', alsoCheckQuery: pageTokenFaults(listOf) },
      schema: {
        ...common,
        summary: 'List logged requests, newest first',
        querystring: Type.Object(
          {
            ...ofScope,
            request_method: Type.Optional(Type.Enum(methods)),
            request_path: Type.Optional(
              Type.String({ description: 'As it is logged, with `<path_param>` in place of path parameters.' }),
            ),
            status_code: Type.Optional(Type.Integer({ minimum: 100, maximum: 599 })),
            limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 5000, default: 100 })),
            page_token: pageToken,
          },
          { additionalProperties: false },
        ),
        response: { 200: pageOf(entry) },
      },
    },
    async ({ organizationId, query }, reply) => {
      const list = listOf({ organizationId })
      const after = readPageToken(query.page_token, list, ['instant', 'uuid'])
      const scope = scopeOf(organizationId, query)
      const { entries, next } = isNoConnection(scope)
        ? { entries: [], next: null }
        : await log.search(
            { ...scope, method: query.request_method, path: query.request_path, statusCode: query.status_code },
            {
              limit: query.limit!,
              after: after && { requestTime: after[0]!, requestId: after[1]! },
              maxBytes: maxPageBytes,
            },
          )
      const token = next && writePageToken(list, [next.requestTime, next.requestId])
      return asItIs(reply, textPage(entries.join(','), token, entries.length))
    },
  )

  app.get(
    '/api-logs/facets',
    {
      config: { access: 'key', logged: 'never' },
      schema: {
        ...common,
        summary: 'List the distinct values of logged requests',
        querystring: Type.Object(ofScope, { additionalProperties: false }),
        response: { 200: Type.Object({ data: facets }) },
      },
    },
    async ({ organizationId, query }) => {
      const scope = scopeOf(organizationId, query)
      return { data: isNoConnection(scope) ? noFacets : await log.facets(scope) }
    },
  )

  app.get(
    '/api-logs/histogram',
    {
      config: { access: 'key', logged: 'never' },
      schema: {
        ...common,
        summary: 'Count logged requests over time, by class of status',
        querystring: Type.Object(
          { ...ofScope, buckets: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 60 })) },
          { additionalProperties: false },
        ),
        response: { 200: Type.Object({ data: Type.Array(bucket) }) },
      },
    },
    async ({ organizationId, query }) => {
      const scope = scopeOf(organizationId, query)
      const known = isNoConnection(scope) ? { ...scope, connectionId: noConnection } : scope
      return { data: await log.histogram({ ...known, until: scope.until ?? now() }, query.buckets!) }
    },
  )

  /** @throws ApiError 422 for times outside of what is kept, or in the wrong order */
  function scopeOf(organizationId: string, query: ScopeQuery): Scope {
    const present = now()
    const oldest = daysBefore(present, retentionDays)
    const start = query.start_time === undefined ? null : new Date(query.start_time)
    const end = query.end_time === undefined ? null : new Date(query.end_time)
    const faults: FaultTree = {}
    for (const [name, time] of [
      ['start_time', start],
      ['end_time', end],
    ] as const) {
      if (time && time < oldest) faults[name] = [`May be at most ${retentionDays} days ago.`]
      else if (time && time.getTime() > present.getTime() + clockSkewMs) faults[name] = ['May not be in the future.']
    }
    if (start && end && end < start) faults.end_time ??= ['May not be before start_time.']
    if (Object.keys(faults).length > 0) throw errors.validation({ query: faults })
    return {
      organizationId,
      from: start ?? oldest,
      until: end,
      connectionId: query.connection_id,
      integrationName: query.integration_name,
      integrationType: query.integration_type,
    }
  }
}

type ScopeQuery = {
  start_time?: string
  end_time?: string
  connection_id?: string
  integration_name?: string
  integration_type?: string
}

/** A caller's clock may run ahead a little. */
const clockSkewMs = 60_000
const methods = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS']

/** Whether the filter names what is no connection at all. */
const isNoConnection = ({ connectionId }: Scope) =>
  connectionId !== undefined && (!isUuid(connectionId) || connectionId === noConnection)

function instant(description: string) {
  return Type.Optional(Type.String({ format: 'date-time', description }))
}

const textOrNull = Type.Unsafe<string | null>({ type: ['string', 'null'] })
const anyObject = Type.Unsafe<object>({ type: 'object', additionalProperties: true })

const entry = Type.Object({
  request_id: Type.String(),
  idempotency_key: textOrNull,
  connection_id: textOrNull,
  integration_name: textOrNull,
  integration_type: textOrNull,
  request_time: Type.String({ format: 'date-time' }),
  request_method: Type.String(),
  request_path: Type.String(),
  path_param: textOrNull,
  status_code: Type.Integer(),
  error: textOrNull,
  error_origin: textOrNull,
  duration_ms: Type.Integer(),
  query_params: anyObject,
  request_body: Type.Unsafe<unknown>({
    description: 'The JSON that was sent; beyond 64 KiB `{truncated, bytes}`.',
  }),
  integration_request_bodies: Type.Array(
    Type.Object({ url: Type.String(), method: Type.String(), body: Type.Unsafe<unknown>({}) }),
    { description: 'The requests sent on to the integration.' },
  ),
})

const facets = Type.Object({
  connection_id: Type.Array(Type.String()),
  integration_name: Type.Array(Type.String()),
  request_path: Type.Array(Type.String()),
  status_code: Type.Array(Type.Integer()),
})
const noFacets: Static<typeof facets> = { connection_id: [], integration_name: [], request_path: [], status_code: [] }

const bucket = Type.Object({
  start_time: Type.String(),
  end_time: Type.String(),
  counts: Type.Record(Type.String(), Type.Integer()),
})

const listOf = ({ organizationId }: { organizationId: string }) => ({ name: 'api-logs', ownerId: organizationId })
