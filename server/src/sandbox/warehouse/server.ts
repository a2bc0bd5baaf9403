import type { AddressInfo } from 'node:net'
import Fastify, { type FastifyRequest } from 'fastify'
import { RateLimiterMemory } from 'rate-limiter-flexible'
import type { Db } from '../../db/schema.ts'
import { hashSecret } from '../../secrets.ts'
import { isKind, readFunctions } from './kinds.ts'
import { refuse } from './refusal.ts'
import {
  accountOf,
  findDocument,
  findWarehouse,
  type Position,
  readDocuments,
  takeFault,
  type Warehouse,
} from './store.ts'
import { writeRoutes } from './write-routes.ts'

const pageSize = 250

/**
 * Serves the simulated warehouse system over HTTP on 127.0.0.1. What it knows is in the database, so any number of
 * processes may each have a listener of their own.
 *
 * Every request carries a warehouse's key in `x-warehouse-key`; errors are `{message}`. More than `requestsPerSecond`
 * of one warehouse at one listener are answered 429.
 */
export async function startWarehouse(
  db: Db,
  { requestsPerSecond = 2000 }: { requestsPerSecond?: number } = {},
): Promise<{ origin: string; stop(): Promise<void> }> {
  const app = Fastify({
    forceCloseConnections: true,
    bodyLimit: 48 * 1024 * 1024,
    // an id of any length is one it does not have
    routerOptions: { maxParamLength: 16_384 },
  })
  const limiter = new RateLimiterMemory({ points: requestsPerSecond, duration: 1 })
  app.decorateRequest('warehouse', null)
  const warehouseOf = (request: FastifyRequest) => request.getDecorator<Warehouse>('warehouse')

  app.addHook('onRequest', async (request, reply) => {
    const key = request.headers['x-warehouse-key']
    const warehouse = typeof key === 'string' ? await findWarehouse(db, hashSecret(key)) : null
    if (!warehouse) return refuse(reply, 401, 'Unknown warehouse key')
    request.setDecorator('warehouse', warehouse)
    const allowed = await limiter.consume(warehouse.id).catch(() => null)
    if (!allowed) return refuse(reply.header('retry-after', '1'), 429, 'Too many requests')
  })

  app.addHook<{ Params: { kind?: string } }>('preHandler', async (request, reply) => {
    const { kind } = request.params
    if (kind === undefined || !isKind(kind) || request.method !== 'GET') return
    const name = readFunctions[kind]
    const { id, faults } = warehouseOf(request)
    if (!faults.some((fault) => fault.function_name === name)) return
    const fault = await takeFault(db, id, name)
    if (fault) return refuse(reply, fault.status_code, fault.error_message ?? `Simulated fault of ${kind}`)
  })

  app.get('/v1/account', (request) => accountOf(warehouseOf(request).id))

  app.get<{ Params: { kind: string }; Querystring: { modified_since?: string; after?: string; limit?: string } }>(
    '/v1/:kind',
    async (request, reply) => {
      const { kind } = request.params
      if (!isKind(kind)) return refuse(reply, 404, `There is no ${kind}`)
      const { modified_since, after, limit } = request.query
      const since = modified_since === undefined ? null : new Date(modified_since)
      const position = after === undefined ? null : decodePosition(after)
      const size = limit === undefined ? pageSize : Number(limit)
      if (since && kind === 'stock') return refuse(reply, 400, 'Stock is offered only whole, without modified_since')
      if (since && Number.isNaN(since.getTime())) return refuse(reply, 400, 'modified_since is no instant')
      if (after !== undefined && !position) return refuse(reply, 400, 'after is no position of a page')
      if (!Number.isInteger(size) || size < 1 || size > pageSize) return refuse(reply, 400, `limit is 1 to ${pageSize}`)
      const page = await readDocuments(db, warehouseOf(request).id, kind, { since, after: position, limit: size })
      return { items: page.items, next: page.next && encodePosition(page.next) }
    },
  )

  app.get<{ Params: { kind: string; id: string } }>('/v1/:kind/:id', async (request, reply) => {
    const { kind, id } = request.params
    const document = isKind(kind) ? await findDocument(db, warehouseOf(request).id, kind, id) : null
    return document ?? refuse(reply, 404, `There is no ${id} in ${kind}`)
  })

  writeRoutes(app, db, warehouseOf)

  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  return { origin: `http://127.0.0.1:${port}`, stop: () => app.close() }
}

const encodePosition = ({ modified, id }: Position) => Buffer.from(`${modified} ${id}`).toString('base64url')

function decodePosition(text: string): Position | null {
  const [, modified, id] = /^(\S+) (.+)$/.exec(Buffer.from(text, 'base64url').toString()) ?? []
  return modified && id && !Number.isNaN(Date.parse(modified)) ? { modified, id } : null
}
