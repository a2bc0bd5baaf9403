import { pino } from 'pino'
import { Registry } from 'prom-client'
import { Type } from 'typebox'
import { openDatabase } from '../db/open.ts'
import { ApiError } from '../errors.ts'
import { createHttpServer } from '../http/server.ts'
import { createHttp } from '../integrations/http-client.ts'
import { hashSecret } from '../secrets.ts'
import { recordOnwardCall } from './onward-calls.ts'
import { createPostgresLog } from './postgres-log.ts'
import { requestLog } from './request-log.ts'
import { logRoutes } from './routes.ts'

/** Whoever calls the demo server. */
export const demo = {
  organizationId: '11111111-1111-4111-8111-111111111111',
  apiKey: 'sk_demoKeyThatNobodyMaySeeInAnyLog',
  otherApiKey: 'sk_keyOfAnotherOrganizationEntirely',
  otherOrganizationId: '22222222-2222-4222-8222-222222222222',
  connection: { id: '33333333-3333-4333-8333-333333333333', integrationType: 'wms', integrationName: 'acme' } as const,
  accessToken: 'at_demoTokenThatNobodyMaySeeInAnyLog',
  upstreamKey: 'upstream-key-nobody-may-see',
  retentionDays: 180,
}

/** Serves a few data routes with the log and its search, for tests; run by itself it is a process to be killed. */
export async function serveDemo(options: { url: string; upstream: string; now?: () => Date }) {
  const { now = () => new Date() } = options
  const database = openDatabase(options.url, 6)
  const metrics = new Registry()
  const log = createPostgresLog({
    ...database,
    log: pino({ level: 'fatal' }),
    metrics,
    retentionDays: demo.retentionDays,
  })
  await log.maintain(now())
  const organizations = [
    { hash: hashSecret(demo.apiKey), organizationId: demo.organizationId },
    { hash: hashSecret(demo.otherApiKey), organizationId: demo.otherOrganizationId },
  ]
  const app = await createHttpServer({
    log: pino({ level: 'silent' }),
    rateLimit: { readPerSecond: 0, writePerSecond: 0 },
    publicUrl: 'http://127.0.0.1',
    keys: {
      findCaller: async (hash) => {
        const found = organizations.find((each) => each.hash.equals(hash))
        return found ? { organizationId: found.organizationId, scope: 'full' } : null
      },
      findConnection: async (hash) =>
        hashSecret(demo.accessToken).equals(hash)
          ? { ...demo.connection, organizationId: demo.organizationId, disabledFunctions: new Set() }
          : null,
      operatorKeyHash: Buffer.alloc(32),
    },
  })
  requestLog(app, {
    log,
    now,
    findConnection: async (organizationId, id) =>
      organizationId === demo.organizationId && id === demo.connection.id ? demo.connection : null,
  })
  logRoutes(app, { log, registry: { names: ['acme'] }, retentionDays: demo.retentionDays, now })

  const upstream = createHttp({
    allowPrivateNetwork: true,
    trustedOrigins: [],
    record: recordOnwardCall,
    retry: { baseMs: 1 },
  }).at(options.upstream, { headers: { 'x-key': demo.upstreamKey } })
  const data = { config: { access: 'connection' as const } }
  const order = { params: Type.Object({ order_id: Type.String() }) }
  const anyBody = Type.Object({}, { additionalProperties: true })
  const limit = Type.Optional(Type.Integer({ minimum: 1 }))
  app.get('/health', { config: { access: 'public' } }, async () => ({ ok: true }))
  app.get(
    '/wms/orders',
    { ...data, schema: { querystring: Type.Object({ limit, note: Type.Optional(Type.String()) }) } },
    async () => ({ data: [] }),
  )
  app.get('/wms/orders/:order_id', { ...data, schema: order }, async ({ params }) => {
    throw new ApiError(404, 'order not found', { id: params.order_id })
  })
  app.post('/wms/orders', { ...data, schema: { body: anyBody } }, async ({ body }) => {
    const { status } = await upstream.send('POST', '/orders?token=upstream-token-nobody-may-see', { body })
    return { id: 'created', status }
  })
  for (const method of ['PUT', 'PATCH', 'DELETE'] as const) {
    app.route({
      method,
      url: '/wms/orders/:order_id',
      ...data,
      schema: order,
      handler: async () => ({ updated: true }),
    })
  }
  app.post('/link/token', { config: { access: 'key' }, schema: { body: anyBody } }, async () => ({ link_token: 'lt' }))
  const byConnection = Type.Object({ connection_id: Type.Optional(Type.String()) })
  app.get('/connections', { config: { access: 'key' }, schema: { querystring: byConnection } }, async () => ({
    data: [],
  }))
  app.get(
    '/connections/:connection_id',
    { config: { access: 'key' }, schema: { params: Type.Object({ connection_id: Type.String() }) } },
    async () => ({ data: [] }),
  )
  const origin = await app.listen({ host: '127.0.0.1', port: 0 })
  return {
    origin,
    log,
    metrics,
    database,
    async stop() {
      await app.close()
      await log.close()
      await database.close()
    },
  }
}

if (process.send) {
  const [url, upstream] = process.argv.slice(2) as [string, string]
  const { origin, stop } = await serveDemo({ url, upstream })
  process.on('SIGTERM', async () => {
    await stop()
    process.exit(0)
  })
  process.send(origin)
}
