import { pino } from 'pino'
import { Registry as MetricsRegistry } from 'prom-client'
import type { Config } from './config.ts'
import {
  alignOrganization,
  findConnectionCaller,
  sealedColumns as sealedConnections,
} from './connections/connections.ts'
import { connectionOpener } from './connections/open.ts'
import { connectionRoutes } from './connections/routes.ts'
import { countUsage } from './connections/usage.ts'
import { dataRoutes } from './data/routes.ts'
import { deleteRecords } from './data/save-records.ts'
import { reseal } from './db/reseal.ts'
import { openStorage } from './db/storage.ts'
import { serveHealth } from './http/health.ts'
import { serveMetrics } from './http/metrics.ts'
import { createHttpServer } from './http/server.ts'
import { sealedColumns as sealedMagicLinks } from './install/magic-links.ts'
import { installRoutes } from './install/routes.ts'
import { integrationRequestRoutes } from './integration-requests/routes.ts'
import { createHttp } from './integrations/http-client.ts'
import { createRegistry } from './integrations/registry.ts'
import { integrationRoutes } from './integrations/routes.ts'
import { sandbox } from './integrations/sandbox/index.ts'
import { findCaller } from './organizations/api-keys.ts'
import { bootstrapOrganization } from './organizations/organizations.ts'
import { organizationRoutes } from './organizations/routes.ts'
import { resources } from './resources/index.ts'
import { generateSandbox } from './sandbox/generate-sandbox.ts'
import { sandboxRoutes } from './sandbox/routes.ts'
import { startWarehouse } from './sandbox/warehouse/server.ts'
import { Vault } from './secrets.ts'
import { syncRoutes } from './sync/routes.ts'
import { startSyncWorker } from './sync/worker.ts'

export type Role = 'api' | 'worker'

export interface Crossdock {
  /** Where the API listens; null without the role `api`. */
  address: string | null
  /** API key of the organization `default`; only from the start that created it. */
  apiKey: string | null
  /** Finishes requests, hands crawls back, closes everything. */
  stop(): Promise<void>
}

/** Composes the parts and starts the given roles. */
export async function startCrossdock(config: Config, roles: readonly Role[]): Promise<Crossdock> {
  const log = pino({ level: config.logLevel })
  const stops: (() => Promise<unknown>)[] = []
  const onStop = (stop: () => Promise<unknown>) => void stops.unshift(stop)
  const stop = async () => {
    for (const each of stops.splice(0)) await each()
  }
  try {
    const storage = await openStorage(config, log, resources)
    onStop(storage.close)
    const { db } = storage
    const now = () => new Date()
    const vault = new Vault(config.encryptionKeys)
    const warehouse = await startWarehouse(db)
    onStop(warehouse.stop)
    const registry = createRegistry([sandbox(warehouse.origin)])
    const network = { allowPrivateNetwork: config.allowPrivateNetwork, trustedOrigins: [warehouse.origin] }
    const http = (options: { signal: AbortSignal; secrets: readonly string[] }) =>
      createHttp({ ...network, ...options })
    const open = connectionOpener({ db, vault, registry, http })
    const apiKey = await bootstrapOrganization(db, config.bootstrapApiKey)

    if (roles.includes('worker')) {
      onStop(startSyncWorker({ db, log, open }).stop)
      const resealing = reseal(db, vault, [...sealedConnections, ...sealedMagicLinks]).then(
        (resealed) => resealed > 0 && log.info({ resealed }, 'values sealed anew with the current key'),
        (error) => log.error({ err: error }, 'values not sealed anew'),
      )
      onStop(() => resealing)
    }
    let address: string | null = null
    if (roles.includes('api')) {
      const usage = countUsage(db, log)
      onStop(usage.stop)
      const app = await createHttpServer({
        log,
        rateLimit: config.rateLimit,
        publicUrl: config.publicUrl,
        credentials: {
          findCaller: (hash) => findCaller(db, hash),
          findConnection: (hash) => findConnectionCaller(db, hash),
          operatorKeyHash: config.operatorKeyHash,
        },
      })
      serveMetrics(app, new MetricsRegistry())
      serveHealth(app, storage.check)
      organizationRoutes(app, { db, align: (id) => alignOrganization(db, registry, id) })
      integrationRoutes(app, { registry })
      connectionRoutes(app, { db, registry, purge: (id) => deleteRecords(db, id) })
      installRoutes(app, {
        db,
        vault,
        registry,
        now,
        publicUrl: config.publicUrl,
        http,
        generateSandbox: (organizationId, type) => generateSandbox({ db, vault, registry, now }, organizationId, type),
      })
      integrationRequestRoutes(app, { db })
      syncRoutes(app, { db, registry })
      sandboxRoutes(app, { db, vault, registry, now })
      dataRoutes(app, { db, registry, countUse: usage.count })
      onStop(() => app.close())
      address = await app.listen({ host: config.host, port: config.port })
    }
    return { address, apiKey, stop }
  } catch (error) {
    await stop()
    throw error
  }
}
