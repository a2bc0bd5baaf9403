import { pino } from 'pino'
import { Registry as MetricsRegistry } from 'prom-client'
import type { Config } from './config.ts'
import { findConnectionCaller } from './connections/connections.ts'
import { connectionOpener } from './connections/open.ts'
import { connectionRoutes } from './connections/routes.ts'
import { countUsage } from './connections/usage.ts'
import { dataRoutes } from './data/routes.ts'
import { deleteRecords } from './data/save-records.ts'
import { openStorage } from './db/storage.ts'
import { serveHealth } from './http/health.ts'
import { serveMetrics } from './http/metrics.ts'
import { createHttpServer } from './http/server.ts'
import { createHttp } from './integrations/http-client.ts'
import { createRegistry } from './integrations/registry.ts'
import { sandbox } from './integrations/sandbox/index.ts'
import { findCaller } from './organizations/api-keys.ts'
import { bootstrapOrganization } from './organizations/organizations.ts'
import { resources } from './resources/index.ts'
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
    const http = (signal: AbortSignal) =>
      createHttp({ allowPrivateNetwork: config.allowPrivateNetwork, trustedOrigins: [warehouse.origin], signal })
    const open = connectionOpener({ db, vault, registry, http })
    const apiKey = await bootstrapOrganization(db, config.bootstrapApiKey)

    if (roles.includes('worker')) onStop(startSyncWorker({ db, log, open }).stop)
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
      connectionRoutes(app, { db, registry, purge: (id) => deleteRecords(db, id) })
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

