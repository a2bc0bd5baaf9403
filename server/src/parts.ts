import { type Logger, pino } from 'pino'
import { Registry as MetricsRegistry } from 'prom-client'
import type { Config } from './config.ts'
import { sealedConnectionColumns } from './connections/connection-secrets.ts'
import { connectionOpener } from './connections/open.ts'
import { purgeRecordsJob } from './data/purge-records.ts'
import { requireKeys, type SealedColumn } from './db/reseal.ts'
import type { Db } from './db/schema.ts'
import { openStorage, type Storage } from './db/storage.ts'
import { sealedMagicLinkColumns } from './install/magic-links.ts'
import { expireAttemptsJob } from './install/retention.ts'
import type { Integration } from './integrations/define.ts'
import type { IntegrationHttp } from './integrations/http.ts'
import { type CreateHttpOptions, createHttp } from './integrations/http-client.ts'
import { createRegistry, type Registry } from './integrations/registry.ts'
import { sandbox } from './integrations/sandbox/index.ts'
import { openQueue, type Queue } from './jobs/queue.ts'
import type { ApiLog } from './logs/api-log.ts'
import { maintainLogJob } from './logs/maintenance.ts'
import { recordOnwardCall } from './logs/onward-calls.ts'
import { createPostgresLog } from './logs/postgres-log.ts'
import { createNetworkGuard, type NetworkGuard } from './network/guard.ts'
import { resources } from './resources/index.ts'
import { startWarehouse } from './sandbox/warehouse/server.ts'
import { Vault } from './secrets.ts'
import type { OpenConnection } from './sync/open-connection.ts'
import { expireSyncJobsJob } from './sync/retention.ts'
import { sealedEndpointColumns } from './webhooks/endpoint-secret.ts'
import { expireEventsJob } from './webhooks/retention.ts'

/** What every role is made of. */
export interface Parts {
  config: Config
  log: Logger
  now(): Date
  db: Db
  storage: Storage
  vault: Vault
  sealed: readonly SealedColumn[]
  registry: Registry
  guard: NetworkGuard
  http(options: Pick<CreateHttpOptions, 'secrets' | 'retry'> & { signal: AbortSignal }): IntegrationHttp
  open(connectionId: string): Promise<OpenConnection | null>
  queue: Queue
  apiLog: ApiLog
  metrics: MetricsRegistry
  /** Ends the calls to third parties that are under way. */
  giveUp: AbortController
}

/**
 * Opens the parts that the roles share.
 * @param onStop takes what closes them again; the last one first
 */
export async function openParts(
  config: Config,
  options: { integrations: readonly Integration[]; works: boolean },
  onStop: (stop: () => Promise<unknown>) => void,
): Promise<Parts> {
  const log = pino({ level: config.logLevel })
  const now = () => new Date()
  const storage = await openStorage(config, log, resources)
  onStop(storage.close)
  const { db } = storage
  const vault = new Vault(config.encryptionKeys)
  const sealed = [...sealedConnectionColumns, ...sealedMagicLinkColumns, ...sealedEndpointColumns]
  await requireKeys(db, vault, sealed)
  const warehouse = await startWarehouse(db)
  onStop(warehouse.stop)
  const registry = createRegistry([sandbox(warehouse.origin), ...options.integrations])
  const { allowPrivateNetwork } = config
  const trustedOrigins = [warehouse.origin]
  const giveUp = new AbortController()
  const http: Parts['http'] = (given) =>
    createHttp({
      allowPrivateNetwork,
      trustedOrigins,
      record: recordOnwardCall,
      ...given,
      signal: AbortSignal.any([given.signal, giveUp.signal]),
    })
  const metrics = new MetricsRegistry()
  const retentionDays = config.logRetentionDays
  const apiLog = createPostgresLog({ db, pool: storage.pool, log, metrics, retentionDays })
  await apiLog.maintain(now())
  onStop(apiLog.close)
  const kinds = [maintainLogJob, expireEventsJob, expireSyncJobsJob, expireAttemptsJob, purgeRecordsJob]
  const queue = await openQueue({ url: storage.url, log, kinds, works: options.works })
  onStop(queue.stop)
  return {
    config,
    log,
    now,
    db,
    storage,
    vault,
    sealed,
    registry,
    guard: createNetworkGuard({ allowPrivateNetwork, trustedOrigins: [] }),
    http,
    open: connectionOpener({ db, vault, registry, http }),
    queue,
    apiLog,
    metrics,
    giveUp,
  }
}
