import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest, preHandlerAsyncHookHandler } from 'fastify'
import { sql } from 'kysely'
import { Type } from 'typebox'
import type { Db } from '../db/schema.ts'
import { errors } from '../errors.ts'
import { jsonText } from '../http/answers.ts'
import type { App } from '../http/app.ts'
import type { Vault } from '../secrets.ts'
import { type Claim, createKeyring, type Keyring } from './keyring.ts'

/** The key a write came with. */
export interface Idempotency {
  /** A UUID the system behind knows the request by; the same when it is taken up again. */
  readonly reference: string
  /** Whether an earlier run was cut off, so that it may have had its effect. */
  readonly recovering: boolean
  /** Whether the request may have had its effect although it fails; such a key is not released. */
  unknown: boolean
  /**
   * Call it right before the effect.
   * @throws ApiError 409 when this process has lost the key to another
   */
  hold(): void
}

declare module 'fastify' {
  interface FastifyRequest {
    idempotency: Idempotency | null
  }
  interface FastifyContextConfig {
    /** `off`: a key is ignored; `recovers`: the route looks up itself what became of a run that was cut off. */
    idempotency?: 'off' | 'recovers'
  }
}

/**
 * Answers a write that comes again with the same `Idempotency-Key` with what it was answered first. Has to be called
 * before the routes are declared.
 * @param parts.leaseSeconds how long a process may be out of touch with the database before another takes its keys up
 */
export async function honourIdempotencyKeys(
  app: App,
  { db, vault, leaseSeconds = 10 }: { db: Db; vault: Vault; leaseSeconds?: number },
): Promise<void> {
  const keyring = createKeyring(db, vault, leaseSeconds)
  const claims = new WeakMap<FastifyRequest, Claim>()
  app.decorateRequest('idempotency', null)
  app.addHook('onClose', async () => keyring.stop())
  app.addHook('onRoute', (route) => {
    const { access, idempotency } = route.config ?? {}
    if (access === undefined || access === 'public' || access === 'link' || idempotency === 'off') return
    if ([route.method].flat().every((method) => method === 'GET' || method === 'HEAD')) return
    route.preHandler = [...[route.preHandler ?? []].flat(), claimKey(keyring, claims)]
    route.config = { ...route.config, documentedHeaders: keyHeader }
  })
  app.addHook('onSend', async (request, reply, payload) => {
    const claim = claims.get(request)
    if (!claim) return
    claims.delete(request)
    await settle(keyring, claim, request, reply, payload).catch((error) =>
      request.log.error({ err: error }, 'idempotency key not settled'),
    )
  })
}

/**
 * Forgets what the writes of a connection were answered, in the transaction that takes away what they made. Requests that
 * are under way keep their keys.
 */
export async function forgetKeysOf(trx: Db, connectionId: string): Promise<void> {
  await sql`delete from idempotency_keys where scope = ${scopeOfConnection(connectionId)}
    and (lease_until is null or lease_until < now())`.execute(trx)
}

const keyHeader = Type.Object({
  'idempotency-key': Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description: 'For 24 hours the same request with the same key is done once; later answers repeat the first.',
    }),
  ),
})

function claimKey(keyring: Keyring, claims: WeakMap<FastifyRequest, Claim>): preHandlerAsyncHookHandler {
  return async (request, reply) => {
    const key = request.headers['idempotency-key']
    if (key === undefined) return
    if (typeof key !== 'string' || key.length < 1 || key.length > 255) {
      throw errors.validation({ headers: { 'idempotency-key': ['Must have 1 to 255 characters.'] } })
    }
    const claimed = await keyring.claim(scopeOf(request), key, fingerprintOf(request))
    if ('answer' in claimed) {
      return reply
        .code(claimed.status)
        .header('idempotent-replayed', 'true')
        .type(jsonText)
        .serializer((text: unknown) => text as string)
        .send(claimed.answer)
    }
    claims.set(request, claimed)
    request.idempotency = {
      reference: claimed.reference,
      recovering: claimed.recovering,
      // what was cut off before may have had its effect
      unknown: claimed.recovering,
      hold() {
        if (!keyring.holds(claimed)) throw errors.stillRunning()
        this.unknown = true
      },
    }
    const again = request.method !== 'POST' || request.routeOptions.config.idempotency === 'recovers'
    if (claimed.recovering && !again) throw errors.outcomeUnknown('this service')
  }
}

async function settle(
  keyring: Keyring,
  claim: Claim,
  request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
): Promise<void> {
  if (reply.statusCode < 300 && typeof payload === 'string') await keyring.keep(claim, reply.statusCode, payload)
  else if (request.idempotency?.unknown) await keyring.leave(claim)
  else await keyring.release(claim)
}

function scopeOf({ connection, organizationId }: FastifyRequest): string {
  if (connection) return scopeOfConnection(connection.id)
  return organizationId ? `organization ${organizationId}` : 'operator'
}

const scopeOfConnection = (id: string) => `connection ${id}`

const fingerprintOf = ({ method, url, body }: FastifyRequest) =>
  createHash('sha256')
    .update(JSON.stringify([method, url, body ?? null], inOrder))
    .digest()

/** Fields of an object in one order. */
function inOrder(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || Buffer.isBuffer(value)) return value
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
}
