import { alignAll } from './connections/align-connections.ts'
import { openAccessToken } from './connections/connection-secrets.ts'
import { findConnection } from './connections/find-connections.ts'
import { purgeRecords, purgeRecordsJob } from './data/purge-records.ts'
import { keepResealing } from './db/reseal.ts'
import { expireAttempts, expireAttemptsJob } from './install/retention.ts'
import { maintainLogJob } from './logs/maintenance.ts'
import { daysBefore } from './logs/periods.ts'
import type { Parts } from './parts.ts'
import { expireSyncJobs, expireSyncJobsJob } from './sync/retention.ts'
import { startSyncWorker } from './sync/worker.ts'
import { startDelivery } from './webhooks/delivery.ts'
import { expireEvents, expireEventsJob } from './webhooks/retention.ts'

/** Starts what works in the background: crawls, deliveries, jobs, and the change to a new key. */
export async function startWorker(parts: Parts, onStop: (stop: () => Promise<unknown>) => void): Promise<void> {
  const { db, log, vault, registry, guard, now, apiLog, queue, open } = parts
  await queue.work(maintainLogJob, () => apiLog.maintain(now()))
  await queue.work(expireEventsJob, () => expireEvents(db, now()))
  const retained = () => daysBefore(now(), parts.config.logRetentionDays)
  await queue.work(expireSyncJobsJob, () => expireSyncJobs(db, retained()))
  await queue.work(expireAttemptsJob, () => expireAttempts(db, retained()))
  await queue.work(purgeRecordsJob, ({ connectionId }) => purgeRecords(db, connectionId))
  const delivery = startDelivery({
    db,
    url: parts.storage.url,
    vault,
    guard,
    log,
    publicUrl: parts.config.publicUrl,
    async openAccessToken(connectionId) {
      const connection = await findConnection(db, connectionId)
      return connection && openAccessToken(vault, connection)
    },
  })
  onStop(delivery.stop)
  await alignAll(db, registry)
  onStop(startSyncWorker({ db, log, open }).stop)
  const stopResealing = new AbortController()
  const resealing = keepResealing({ db, vault, columns: parts.sealed, log }, stopResealing.signal)
  onStop(() => {
    stopResealing.abort()
    return resealing
  })
}
