import { sql } from 'kysely'
import type { Logger } from 'pino'
import type { Db } from '../db/schema.ts'
import { IntegrationError, type IntegrationFault } from '../integrations/fault.ts'
import { readUrlOf } from '../resources/documented-path.ts'
import { emit } from '../webhooks/emit.ts'
import { reportError } from './connection-errors.ts'
import { type Lease, LeaseLost, releaseLease } from './leases.ts'
import type { OpenConnection } from './open-connection.ts'
import { recordJobFailure, type SyncJob } from './sync-jobs.ts'

/**
 * Decides what a failed crawl means: wait as the system asked, try again soon, or tell the organization. Refused
 * credentials and missing permissions are told at once, anything else after `patience` failures in a row. A worker whose
 * lease is lost has nothing to tell.
 * @param job the on-demand sync that was crawled; null: the schedule's own crawl
 */
export async function recordFailure(
  parts: { db: Db; log: Logger },
  lease: Lease,
  job: SyncJob | null,
  connection: OpenConnection,
  error: unknown,
): Promise<void> {
  const failure = error instanceof IntegrationError ? error : bug(error)
  if (!(error instanceof IntegrationError)) {
    parts.log.error({ err: error, connectionId: lease.connectionId, functionName: lease.functionName }, 'crawl failed')
  }
  const failures = lease.failures + 1
  const endpoint = readUrlOf(connection.integration.actions[lease.functionName]!.resource)
  const record = async (trx: Db) => {
    const stuck = job && (await recordJobFailure(trx, job.id, stuckAfter))
    if (!(await releaseLease(trx, lease, waitSeconds(failure, failures), failures))) throw new LeaseLost()
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
    if (stuck)
      await emit(trx, connection.source, [{ type: 'connection.sync-job-stuck', resourceId: null, data: stuck }])
    else if (failures === stuckAfter) await emit(trx, connection.source, [await stuckEvent(trx, lease)])
  }
  await parts.db
    .transaction()
    .execute(record)
    .catch((error) => {
      if (!(error instanceof LeaseLost)) throw error
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

/** 10, 20, 40 … up to half an hour, ±20 %; as long as a busy system asks, and longer only once it has been told. */
function waitSeconds({ fault, retryAfterSeconds }: IntegrationError, failures: number): number {
  if (fault === 'credentials') return credentialsRetrySeconds
  if (fault === 'permission') return permissionRetrySeconds
  const backoff = Math.min(1800, 10 * 2 ** Math.min(failures - 1, 10)) * (0.8 + 0.4 * Math.random())
  if (fault !== 'rate_limited' || retryAfterSeconds === null) return backoff
  const asked = Math.min(retryAfterSeconds, longestWaitSeconds)
  return failures < patience ? asked : Math.max(asked, backoff)
}

/** What is not the system's doing is ours; the organization learns that, our log learns what. */
const bug = (error: unknown) =>
  new IntegrationError('unavailable', 'Something went wrong on our side while syncing', { cause: error })
