import { alignOrganization } from './connections/align-connections.ts'
import { findConnection, findConnectionCaller } from './connections/find-connections.ts'
import { connectionRoutes } from './connections/routes.ts'
import { countUsage } from './connections/usage.ts'
import { dataRoutes } from './data/routes.ts'
import { isOutage } from './db/outage.ts'
import { errors } from './errors.ts'
import { closeHttpServer } from './http/close.ts'
import { serveHealth } from './http/health.ts'
import { listenFault } from './http/listen-fault.ts'
import { serveMetrics } from './http/metrics.ts'
import { createHttpServer } from './http/server.ts'
import { honourIdempotencyKeys } from './idempotency/idempotency.ts'
import { installRoutes } from './install/routes.ts'
import { integrationRequestRoutes } from './integration-requests/routes.ts'
import { integrationRoutes } from './integrations/routes.ts'
import { linkPageRoutes } from './link-pages/routes.ts'
import { requestLog } from './logs/request-log.ts'
import { logRoutes } from './logs/routes.ts'
import { findCaller } from './organizations/api-keys.ts'
import { organizationRoutes } from './organizations/routes.ts'
import type { Parts } from './parts.ts'
import { generateSandbox } from './sandbox/generate-sandbox.ts'
import { sandboxRoutes } from './sandbox/routes.ts'
import { simulationRoutes } from './sandbox/simulation-routes.ts'
import { syncRoutes } from './sync/routes.ts'
import { measureSchedules } from './sync/schedule-metrics.ts'
import { openapiWebhooks } from './webhooks/openapi-webhooks.ts'
import { webhookRoutes } from './webhooks/routes.ts'
import { choiceChecker } from './writes/choices.ts'
import { passthroughRoute } from './writes/passthrough-route.ts'
import { writeRoutes } from './writes/routes.ts'
import { tagRoutes } from './writes/tag-routes.ts'
import { writeInfoRoute } from './writes/write-info-route.ts'

/**
 * Serves the three doors: administration, data and Link.
 * @returns where it listens
 * @throws ConfigError where it cannot listen
 */
export async function startApi(parts: Parts, onStop: (stop: () => Promise<unknown>) => void): Promise<string> {
  const { config, log, now, db, vault, registry, guard, open, apiLog, metrics } = parts
  const { publicUrl } = config
  const usage = countUsage(db, log)
  onStop(usage.stop)
  const app = await createHttpServer({
    log,
    rateLimit: config.rateLimit,
    publicUrl,
    trustedProxies: config.trustedProxies,
    isOutage,
    webhooks: openapiWebhooks(),
    keys: {
      findCaller: (hash) => findCaller(db, hash),
      findConnection: (hash) => findConnectionCaller(db, hash),
      operatorKeyHash: config.operatorKeyHash,
    },
  })
  requestLog(app, {
    log: apiLog,
    now,
    async findConnection(organizationId, id) {
      const connection = await findConnection(db, id)
      return connection?.organizationId === organizationId ? connection : null
    },
  })
  await honourIdempotencyKeys(app, { db, vault })
  serveMetrics(app, metrics)
  measureSchedules(metrics, db)
  serveHealth(app, parts.storage.check)

  organizationRoutes(app, { db, align: (trx, id) => alignOrganization(trx, registry, id) })
  integrationRoutes(app, { registry })
  connectionRoutes(app, parts)
  installRoutes(app, {
    ...parts,
    publicUrl,
    generateSandbox: (trx, organizationId, type) => generateSandbox(trx, parts, organizationId, type),
  })
  integrationRequestRoutes(app, { db })
  linkPageRoutes(app)
  syncRoutes(app, { db, registry })
  sandboxRoutes(app, parts)
  webhookRoutes(app, { db, vault, guard, publicUrl })
  logRoutes(app, { log: apiLog, registry, retentionDays: config.logRetentionDays, now })

  dataRoutes(app, { db, registry, countUse: usage.count })
  const writing = {
    db,
    registry,
    now,
    open,
    choices: choiceChecker(now),
    timeLimitMs: writeTimeLimitMs,
    countUse: usage.count,
  }
  writeRoutes(app, writing)
  tagRoutes(app, writing)
  passthroughRoute(app, writing)
  writeInfoRoute(app, writing)
  simulationRoutes(app, writing)

  const giveUp = () => parts.giveUp.abort(errors.unavailable('Crossdock is stopping; try again'))
  onStop(() => closeHttpServer(app, giveUp))
  return app
    .listen({ host: config.host, port: config.port })
    .catch((error) => Promise.reject(listenFault(error, config)))
}

/** The longest a write may take in the system behind. */
const writeTimeLimitMs = 30_000
