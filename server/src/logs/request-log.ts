import type { FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import type { App } from '../http/app.ts'
import { isRead } from '../http/authenticate.ts'
import type { ApiLog, LoggedConnection } from './api-log.ts'
import { entryOfRequest } from './entry-of-request.ts'
import { collectOnwardCalls, type OnwardCall } from './onward-calls.ts'

/**
 * Logs every request that acts on a connection: those to routes with access `connection`, with whatever method, and those
 * of an organization that name one by an access token or a `connection_id`. Requests without a valid API key are nobody's
 * and are not logged. The answer to a write waits until its entry is durable.
 */
export function requestLog(
  app: App,
  parts: {
    log: Pick<ApiLog, 'append'>
    /** A connection of this organization, or null. */
    findConnection(organizationId: string, id: string): Promise<LoggedConnection | null>
    now(): Date
  },
): void {
  const { log, now } = parts
  const found = rememberedConnections(parts.findConnection)

  app.decorateRequest('sent', null)
  app.addHook('preHandler', (request, _reply, done) => {
    // validation turns the texts of the query into what the route asks for
    const sent = { query: { ...(request.query as object) }, calls: [] }
    request.sent = sent
    collectOnwardCalls(sent.calls, done)
  })
  app.addHook('onSend', async (request, reply, payload) => {
    if (!request.organizationId || !isLogged(request)) return
    const { connection, sent } = request
    const named = connection ? null : namedConnection(request)
    const entry = entryOfRequest(request, reply, {
      now: now(),
      connection: connection ?? (named ? await found(request.organizationId, named) : null),
      query: sent?.query ?? request.query,
      calls: sent?.calls ?? [],
      payload,
    })
    await log.append(entry, { durable: !isRead(request) })
  })
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** `never` for what reads the log itself; `without` names fields of path and body that must not get into it. */
    logged?: 'never' | { without: readonly string[] }
  }
  interface FastifyRequest {
    sent: { query: object; calls: OnwardCall[] } | null
  }
}

function isLogged(request: FastifyRequest): boolean {
  const { access, logged } = request.meant ?? request.routeOptions.config
  if (logged === 'never') return false
  return (
    access === 'connection' ||
    (access === 'key' && (request.connection !== null || namedConnection(request) !== undefined))
  )
}

function namedConnection({ params, query, body }: FastifyRequest): string | undefined {
  const named = [params, query, body].map(
    (part) => (part as { connection_id?: unknown } | null | undefined)?.connection_id,
  )
  return named.find((id) => typeof id === 'string') as string | undefined
}

/** What is logged of a connection never changes. */
function rememberedConnections(find: (organizationId: string, id: string) => Promise<LoggedConnection | null>) {
  const cache = new LRUCache<string, LoggedConnection>({ max: 10_000 })
  return async (organizationId: string, id: string) => {
    const key = `${organizationId} ${id}`
    const known = cache.get(key)
    if (known) return known
    const found = await find(organizationId, id)
    if (found) cache.set(key, found)
    return found
  }
}
