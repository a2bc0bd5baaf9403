import { timingSafeEqual } from 'node:crypto'
import type { FastifyContextConfig, FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import { errors } from '../errors.ts'
import type { IntegrationType } from '../resources/define.ts'
import { hashSecret } from '../secrets.ts'

/**
 * Who may call a route: `key` an organization, `connection` an organization on one of its connections, `operator` who
 * runs this installation, `link` the install page (checked by its own routes), `public` everybody.
 */
export type Access = 'key' | 'connection' | 'operator' | 'link' | 'public'

export interface Caller {
  organizationId: string
  scope: 'full' | 'read'
}

/** What requests need to know of the connection they act on. */
export interface ConnectionCaller {
  id: string
  organizationId: string
  integrationType: IntegrationType
  integrationName: string
  /** Functions switched off by the organization's policy or for this connection. */
  disabledFunctions: ReadonlySet<string>
}

/** Finds whom the keys of a request belong to, by their hashes. */
export interface KeyLookup {
  findCaller(apiKeyHash: Buffer): Promise<Caller | null>
  findConnection(tokenHash: Buffer): Promise<ConnectionCaller | null>
  operatorKeyHash: Buffer
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set where access is `key` or `connection`. */
    organizationId: string
    /** Set where access is `connection`, and elsewhere when a valid access token came along. */
    connection: ConnectionCaller | null
  }
}

export interface Authenticator {
  /** Checks the keys that a route asks for, and sets on the request whose they are. */
  check(request: FastifyRequest, route: Pick<FastifyContextConfig, 'access' | 'accessToken'>): Promise<void>
  /** Forgets what keys open: what was changed counts from the next request on. */
  forget(): void
}

/**
 * What a key opens is remembered for less than a second, so that a revoked key or a deleted connection is refused by
 * every process within one.
 */
export function authenticator(keys: KeyLookup): Authenticator {
  const callers = remembered((key) => keys.findCaller(hashSecret(key)))
  const connections = remembered((token) => keys.findConnection(hashSecret(token)))

  const check: Authenticator['check'] = async (request, { access, accessToken }) => {
    if (access === undefined || access === 'public' || access === 'link') return
    if (access === 'operator') {
      const given = hashSecret(header(request, 'x-service-operator-key') ?? '')
      if (!timingSafeEqual(given, keys.operatorKeyHash)) throw errors.invalidOperatorKey()
      return
    }
    const key = header(request, 'x-service-api-key')
    const caller = key ? await callers.find(key) : null
    if (!caller) throw errors.invalidApiKey()
    request.organizationId = caller.organizationId
    const token = header(request, 'x-service-access-token')
    const found = token ? await connections.find(token) : null
    request.connection = found?.organizationId === caller.organizationId ? found : null
    const isNeeded = access === 'connection' || (accessToken === 'optional' && token !== undefined)
    if (isNeeded && !request.connection) throw errors.invalidAccessToken()
    if (caller.scope === 'read' && !isRead(request)) throw errors.readOnlyKey()
  }

  return {
    check,
    forget() {
      callers.forget()
      connections.forget()
    },
  }
}

/** A request that changes nothing. */
export const isRead = (request: FastifyRequest) => ['GET', 'HEAD', 'OPTIONS'].includes(request.method)

function header(request: FastifyRequest, name: string): string | undefined {
  const value = request.headers[name]
  return Array.isArray(value) ? value[0] : value
}

const rememberedMs = 800

/** Only what was found is remembered; concurrent look-ups of one secret are one. */
function remembered<Found extends object>(find: (secret: string) => Promise<Found | null>) {
  let generation = 0
  const cache = new LRUCache<string, { found: Found | null }, string>({
    max: 50_000,
    ttl: rememberedMs,
    fetchMethod: async (_key, _stale, { context: secret }) => ({ found: await find(secret) }),
  })
  return {
    async find(secret: string) {
      // what is looked up while it is forgotten must not be remembered
      const key = `${generation} ${secret}`
      const { found } = (await cache.fetch(key, { context: secret }))!
      if (found === null) cache.delete(key)
      return found
    },
    forget() {
      generation++
    },
  }
}
