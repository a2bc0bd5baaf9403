import { sql } from 'kysely'
import type { Logger } from 'pino'
import type { Db } from '../db/schema.ts'
import { IntegrationError, type IntegrationFault } from '../integrations/fault.ts'
import { readUrlOf } from '../resources/documented-path.ts'
import { emit } from '../webhooks/emit.ts'
import { reportError } from './connection-errors.ts'
import { type Lease, releaseLease } from './leases.ts'
import type { OpenConnection } from './open-connection.ts'
import { giveUpSyncJob } from './sync-jobs.ts'

/**
 * Decides what a failed crawl means: wait as the system asked, try again soon, or tell the organization. Refused
 * credentials and missing permissions are told at once, anything else after `patience` failures in a row. A worker whose
 * lease is lost has nothing to tell.
 */
export async function recordFailure(
  parts: { db: Db; log: Logger },
  lease: Lease,
  connection: OpenConnection,
  error: unknown,
): Promise<void> {
  const failure = error instanceof IntegrationError ? error : bug(error)
  if (!(error instanceof IntegrationError)) {
    parts.log.error({ err: error, connectionId: lease.connectionId, functionName: lease.functionName }, 'crawl failed')
  }
  if (failure.fault === 'rate_limited' && failure.retryAfterSeconds !== null) {
    await releaseLease(parts.db, lease, Math.min(failure.retryAfterSeconds, longestWaitSeconds), lease.failures)
    return
  }
  const failures = lease.failures + 1
  const endpoint = readUrlOf(connection.integration.actions[lease.functionName]!.resource)
  await parts.db.transaction().execute(async (trx) => {
    if (!(await releaseLease(trx, lease, retryAfter(failure.fault, failures), failures))) return
    if (isFinal(failure.fault) || failures >= patience) {
      await reportError(trx, connection.source, failure, endpoint, connection.endpoints)
    }
    if (failure.fault === 'credentials') {
      // one schedule tries the login again, not all of them: systems lock accounts out
      await sql`
        update schedules set due_at = greatest(due_at, now() + make_interval(secs => ${2 * credentialsRetrySeconds}))
        where connection_id = ${lease.connectionId} and due_at is not null and not running
          and function_name <> ${lease.functionName}`.execute(trx)
    }
    if (failures >= stuckAfter) {
      const job = await giveUpSyncJob(trx, lease)
      if (job) await emit(trx, connection.source, [{ type: 'connection.sync-job-stuck', resourceId: null, data: job }])
      else if (failures === stuckAfter) await emit(trx, connection.source, [await stuckEvent(trx, lease)])
    }
  })
}

const patience = 3
/** The schedule itself waits for its on-demand syncs: one that cannot be done must not hold it up for ever. */
const stuckAfter = 8
const longestWaitSeconds = 3600
const credentialsRetrySeconds = 300
const permissionRetrySeconds = 900

const isFinal = (fault: IntegrationFault) => fault === 'credentials' || fault === 'permission'

async function stuckEvent(trx: Db, lease: Lease) {
  const data = await trx
    .selectFrom('schedules')
    .select(['function_name', 'latest_data', 'last_crawl_start'])
    .where('connection_id', '=', lease.connectionId)
    .where('function_name', '=', lease.functionName)
    .executeTakeFirstOrThrow()
  return { type: 'connection.schedule-stuck', resourceId: null, data }
}

/** Seconds: 10, 20, 40 … up to half an hour, ±20 %. */
function retryAfter(fault: IntegrationFault, failures: number): number {
  if (fault === 'credentials') return credentialsRetrySeconds
  if (fault === 'permission') return permissionRetrySeconds
  return Math.min(1800, 10 * 2 ** Math.min(failures - 1, 10)) * (0.8 + 0.4 * Math.random())
}

/** What is not the system's doing is ours; the organization learns that, our log learns what. */
const bug = (error: unknown) =>
  new IntegrationError('unavailable', 'Something went wrong on our side while syncing', { cause: error })
