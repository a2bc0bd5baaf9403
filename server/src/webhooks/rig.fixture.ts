import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pino } from 'pino'
import { startEmbeddedPostgres } from '../db/embedded.ts'
import { migrate } from '../db/migrate.ts'
import { type Database, openDatabase } from '../db/open.ts'
import { temporaryFolder } from '../db/temporary-folder.fixture.ts'
import { createNetworkGuard } from '../network/guard.ts'
import { createOrganization, type Organization } from '../organizations/organizations.ts'
import { Vault } from '../secrets.ts'
import { type Delivery, type DeliveryOptions, startDelivery } from './delivery.ts'
import type { Event, EventOrigin } from './emit.ts'
import { createEndpoint } from './endpoints.ts'

/** A database with one organization, and deliverers and endpoints on it. */
export interface Rig extends Database {
  url: string
  vault: Vault
  organization: Organization
  source: EventOrigin
  deliver(options?: Partial<DeliveryOptions>): Delivery
  endpoint(url: string, eventTypes?: string[]): Promise<{ id: string; secret: string }>
  closeAll(): Promise<void>
}

export const rigKey = Buffer.alloc(32, 7)
export const openGuard = createNetworkGuard({ allowPrivateNetwork: true, trustedOrigins: [] })
export const strictGuard = createNetworkGuard({ allowPrivateNetwork: false, trustedOrigins: [] })

export async function openRig(): Promise<Rig> {
  const dataDir = await temporaryFolder('webhooks')
  const postgres = await startEmbeddedPostgres({ dataDir })
  const database = openDatabase(postgres.url, 6)
  const { db } = database
  await migrate(db, [])
  const { organization } = await createOrganization(db, 'Test')
  const vault = new Vault([rigKey])
  const deliveries: Delivery[] = []
  return {
    ...database,
    url: postgres.url,
    vault,
    organization,
    source: {
      organizationId: organization.id,
      connectionId: crypto.randomUUID(),
      customerId: 'customer-1',
      integrationName: 'sandbox',
      integrationType: 'wms',
      webhooksDisabled: false,
    },
    deliver(options) {
      const delivery = startDelivery({
        db,
        url: postgres.url,
        vault,
        guard: openGuard,
        log: pino({ level: 'silent' }),
        publicUrl: 'https://crossdock.example',
        openAccessToken: async () => null,
        pollMs: 20,
        ...options,
      })
      deliveries.push(delivery)
      return delivery
    },
    endpoint: (url, event_types = []) =>
      createEndpoint(db, vault, organization.id, { url, description: '', event_types }),
    async closeAll() {
      await Promise.all(deliveries.map((delivery) => delivery.stop()))
      await database.close()
      await postgres.stop()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

export const orderUpdated = (id: string, data: object = { id }): Event => ({
  type: 'order.updated',
  resourceId: id,
  data,
  previousAttributes: { status: 'open' },
})

export interface Received {
  path: string
  headers: IncomingHttpHeaders
  body: string
  at: number
}

export interface Receiver {
  url: string
  received: Received[]
  /** Resolves when so many requests have come, counted from the start. */
  count(wanted: number): Promise<void>
  close(): Promise<void>
}

/** Answers 200 unless told otherwise. */
export async function openReceiver(
  respond: (received: Received, response: ServerResponse, request: IncomingMessage) => void = (_, response) =>
    void response.end('ok'),
): Promise<Receiver> {
  const received: Received[] = []
  const waiting = new Set<() => void>()
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const one = { path: request.url!, headers: request.headers, body: Buffer.concat(chunks).toString(), at: Date.now() }
    received.push(one)
    respond(one, response, request)
    for (const check of waiting) check()
  })
  server.keepAliveTimeout = 60_000
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    count: (wanted) =>
      new Promise((resolve) => {
        const check = () => {
          if (received.length < wanted) return
          waiting.delete(check)
          resolve()
        }
        waiting.add(check)
        check()
      }),
    async close() {
      server.close()
      server.closeAllConnections()
    },
  }
}
