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
import { requireKeys, reseal } from './db/reseal.ts'
import { openStorage } from './db/storage.ts'
import { errors } from './errors.ts'
import { choosePort } from './http/choose-port.ts'
import { closeHttpServer } from './http/close.ts'
import { serveHealth } from './http/health.ts'
import { serveMetrics } from './http/metrics.ts'
import { createHttpServer } from './http/server.ts'
import { honourIdempotencyKeys } from './idempotency/idempotency.ts'
import { sealedColumns as sealedMagicLinks } from './install/magic-links.ts'
import { installRoutes } from './install/routes.ts'
import { integrationRequestRoutes } from './integration-requests/routes.ts'
import type { Integration } from './integrations/define.ts'
import { createHttp } from './integrations/http-client.ts'
import { createRegistry } from './integrations/registry.ts'
import { integrationRoutes } from './integrations/routes.ts'
import { sandbox } from './integrations/sandbox/index.ts'
import { tryton } from './integrations/tryton/index.ts'
import { linkPageRoutes } from './link-pages/routes.ts'
import { findCaller } from './organizations/api-keys.ts'
import { bootstrapOrganization } from './organizations/organizations.ts'
import { organizationRoutes } from './organizations/routes.ts'
import { resources } from './resources/index.ts'
import { generateSandbox } from './sandbox/generate-sandbox.ts'
import { sandboxRoutes } from './sandbox/routes.ts'
import { simulationRoutes } from './sandbox/simulation-routes.ts'
import { startWarehouse } from './sandbox/warehouse/server.ts'
import { Vault } from './secrets.ts'
import { syncRoutes } from './sync/routes.ts'
import { measureSchedules } from './sync/schedule-metrics.ts'
import { startSyncWorker } from './sync/worker.ts'
import { sealedColumns as sealedEndpoints } from './webhooks/endpoint-secret.ts'
import { choiceChecker } from './writes/choices.ts'
import { passthroughRoute } from './writes/passthrough-route.ts'
import { writeRoutes } from './writes/routes.ts'
import { tagRoutes } from './writes/tag-routes.ts'
import { writeInfoRoute } from './writes/write-info-route.ts'

export type Role = 'api' | 'worker'

export interface Crossdock {
  /** Where the API listens; null without the role `api`. */
  address: string | null
  publicUrl: string
  /** API key of the organization `default`; only from the start that created it. */
  apiKey: string | null
  /** Finishes requests, hands crawls back, closes everything. */
  stop(): Promise<void>
}

/**
 * Composes the parts and starts the given roles.
 * @param options.integrations offered beside the sandbox; those that come with Crossdock unless given
 */
export async function startCrossdock(
  given: Config,
  roles: readonly Role[],
  { integrations = [tryton] }: { integrations?: readonly Integration[] } = {},
): Promise<Crossdock> {
  const config = await choosePort(given)
  const log = pino({ level: config.logLevel })
  const stops = { api: [], worker: [], base: [] } as Record<Role | 'base', (() => Promise<unknown>)[]>
  const onStop = (stop: () => Promise<unknown>, of: Role | 'base' = 'base') => void stops[of].unshift(stop)
  const stopAll = async (of: Role | 'base') => {
    for (const each of stops[of].splice(0)) await each()
  }
  /** The roles side by side, so that a slow request does not keep crawls from being handed back. */
  const stop = async () => {
    await Promise.all([stopAll('api'), stopAll('worker')])
    await stopAll('base')
  }
  const giveUp = new AbortController()
  try {
    const storage = await openStorage(config, log, resources)
    onStop(storage.close)
    const { db } = storage
    const now = () => new Date()
    const vault = new Vault(config.encryptionKeys)
    const sealed = [...sealedConnections, ...sealedMagicLinks, ...sealedEndpoints]
    await requireKeys(db, vault, sealed)
    const warehouse = await startWarehouse(db)
    onStop(warehouse.stop)
    const registry = createRegistry([sandbox(warehouse.origin), ...integrations])
    const network = { allowPrivateNetwork: config.allowPrivateNetwork, trustedOrigins: [warehouse.origin] }
    const http = (options: { signal: AbortSignal; secrets: readonly string[] }) =>
      createHttp({ ...network, ...options, signal: AbortSignal.any([options.signal, giveUp.signal]) })
    const open = connectionOpener({ db, vault, registry, http })
    // only who has a banner may make a key, or nobody would see it
    const apiKey = roles.includes('api') ? await bootstrapOrganization(db, config.bootstrapApiKey) : null

    if (roles.includes('worker')) {
      onStop(startSyncWorker({ db, log, open }).stop, 'worker')
      const stopResealing = new AbortController()
      const resealing = reseal(db, vault, sealed, stopResealing.signal).then(
        (resealed) => resealed > 0 && log.info({ resealed }, 'values sealed anew with the current key'),
        (error) => log.error({ err: error }, 'values not sealed anew'),
      )
      onStop(() => {
        stopResealing.abort()
        return resealing
      }, 'worker')
    }
    let address: string | null = null
    if (roles.includes('api')) {
      const usage = countUsage(db, log)
      onStop(usage.stop, 'api')
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
      await honourIdempotencyKeys(app, { db, vault })
      const metrics = new MetricsRegistry()
      serveMetrics(app, metrics)
      measureSchedules(metrics, db)
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
      linkPageRoutes(app)
      syncRoutes(app, { db, registry })
      sandboxRoutes(app, { db, vault, registry, now })
      dataRoutes(app, { db, registry, countUse: usage.count })
      const choices = choiceChecker(now)
      const writing = { db, registry, now, open, choices, timeLimitMs: writeTimeLimitMs, countUse: usage.count }
      writeRoutes(app, writing)
      tagRoutes(app, writing)
      passthroughRoute(app, writing)
      writeInfoRoute(app, writing)
      simulationRoutes(app, writing)
      const stopped = () => giveUp.abort(errors.unavailable('Crossdock is stopping; try again'))
      onStop(() => closeHttpServer(app, stopped), 'api')
      address = await app.listen({ host: config.host, port: config.port })
    }
    return { address, publicUrl: config.publicUrl, apiKey, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** The longest a write may take in the system behind. */
const writeTimeLimitMs = 30_000
