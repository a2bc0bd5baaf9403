import { sql } from 'kysely'
import { nameOf, type RecordRow } from '../data/record-row.ts'
import { deleteUnseen, saveRecords } from '../data/save-records.ts'
import type { Db } from '../db/schema.ts'
import type { ReadAction } from '../integrations/define.ts'
import { readUrlOf } from '../resources/documented-path.ts'
import { emit } from '../webhooks/emit.ts'
import { recordEvents } from '../webhooks/record-events.ts'
import { type Checkpoint, endCrawl } from './checkpoint.ts'
import { reportError, resolveErrors } from './connection-errors.ts'
import { isOrdered, type Lease, LeaseLost, rests } from './leases.ts'
import type { OpenConnection } from './open-connection.ts'
import { type SyncJob, saveJobCheckpoint } from './sync-jobs.ts'

export interface CrawledPage {
  rows: RecordRow[]
  newest: string | null
  /** Whether it opens its crawl. */
  first: boolean
  /** Whether it ends its crawl. */
  last: boolean
  checkpoint: Checkpoint & { until: string }
  /** Time of the database when it was asked for. */
  askedAt: Date
  /** The on-demand sync it belongs to; null for the schedule's own crawl. */
  job: SyncJob | null
}

/**
 * Saves a page in one transaction: the lease is proven, then records, events and checkpoint are written; the last page
 * also ends the crawl.
 * @throws LeaseLost when the schedule is not this worker's any more; nothing is written
 */
export async function savePage(
  parts: { db: Db; now: () => Date },
  lease: Lease,
  connection: OpenConnection,
  action: ReadAction,
  page: CrawledPage,
): Promise<void> {
  const now = parts.now()
  await parts.db.transaction().execute(async (trx) => {
    if (page.job && !(await saveJobCheckpoint(trx, page.job.id, page.checkpoint, page.last))) throw new LeaseLost()
    await holdLease(trx, lease, page)
    const whole = action.mode === 'snapshot' && !page.job
    if (whole) await noteSightings(trx, lease, page)
    const saved = await saveRecords(trx, action.resource, lease.connectionId, page.rows, page.askedAt, now)
    if (lease.firstSyncedAt) await emit(trx, connection.source, recordEvents(action.resource, saved))
    if (!page.last) return
    if (whole && !page.checkpoint.fault) {
      const begun = new Date(page.checkpoint.until)
      await deleteUnseen(trx, action.resource, lease.connectionId, lease.functionName, begun, now)
    }
    await tellErrors(trx, connection, action, page)
    if (page.job) await emit(trx, connection.source, [jobEvent(page.job)])
    else await tellCompletion(trx, lease, connection, action, now)
  })
}

/** Proves and prolongs the lease; the last page gives it back. */
async function holdLease(trx: Db, lease: Lease, page: CrawledPage) {
  const next = page.last ? endCrawl(page.checkpoint) : page.checkpoint
  const checkpoint = page.job ? sql`checkpoint` : sql`${JSON.stringify(next)}::jsonb`
  const { numAffectedRows } = await sql`
    update schedules set
      checkpoint = ${checkpoint},
      latest_data = greatest(latest_data, ${page.newest}),
      failures = 0,
      due_at = ${page.last ? dueAgain(page) : sql`now() + make_interval(secs => ${lease.seconds})`}
      ${page.last ? sql`, running = false, last_crawl_end = now()` : sql``}
      ${page.last && !page.job ? sql`, forced = false, first_synced_at = coalesce(first_synced_at, now())` : sql``}
    where connection_id = ${lease.connectionId} and function_name = ${lease.functionName} and fence = ${lease.fence}
  `.execute(trx)
  if (numAffectedRows === 0n) throw new LeaseLost()
}

/** After an on-demand sync the schedule goes on where it was; an ordered one is next; a paused one rests again. */
function dueAgain(page: CrawledPage) {
  if (page.job) return sql`case when ${rests} then null else now() end`
  return sql`case when ${isOrdered} then now() when paused then null
    else greatest(now(), last_crawl_start + make_interval(secs => sync_frequency)) end`
}

async function noteSightings(trx: Db, lease: Lease, page: CrawledPage) {
  if (page.first) {
    await trx
      .deleteFrom('crawl_sightings')
      .where('connection_id', '=', lease.connectionId)
      .where('function_name', '=', lease.functionName)
      .execute()
  }
  await sql`
    insert into crawl_sightings (connection_id, function_name, id)
    select ${lease.connectionId}, ${lease.functionName}, unnest(${page.rows.map((row) => row.id)}::text[])
    on conflict do nothing`.execute(trx)
}

/** A crawl that read every record resolves the errors of its endpoint; one that had to leave some out is one. */
async function tellErrors(trx: Db, connection: OpenConnection, action: ReadAction, page: CrawledPage) {
  const endpoint = readUrlOf(action.resource)
  await resolveErrors(trx, connection.source, endpoint, page.checkpoint.fault === undefined)
  if (page.checkpoint.fault === undefined) return
  const failure = { fault: 'permission', message: page.checkpoint.fault, url: null } as const
  await reportError(trx, connection.source, failure, endpoint, connection.endpoints)
}

async function tellCompletion(trx: Db, lease: Lease, connection: OpenConnection, action: ReadAction, now: Date) {
  const events = []
  if (!lease.firstSyncedAt) {
    const { rows } = await sql<{ oldest: Date | null; newest: Date | null }>`
      select min(updated_date) as oldest, max(updated_date) as newest from records
      where resource = ${sql.lit(nameOf(action.resource))} and connection_id = ${lease.connectionId}`.execute(trx)
    const { oldest, newest } = rows[0]!
    const data = { resource: action.resource.name, oldest_data_date: oldest, newest_data_date: newest }
    events.push({ type: 'connection.historical-sync-completed', resourceId: null, data })
  }
  if (lease.forced) {
    const data = {
      function_name: lease.functionName,
      resource: action.resource.name,
      completed_date: now.toISOString(),
    }
    events.push({ type: 'connection.force-sync-completed', resourceId: null, data })
  }
  await emit(trx, connection.source, events)
}

const jobEvent = (job: SyncJob) => ({
  type: 'connection.sync-job-completed',
  resourceId: null,
  data: { ...job, status: 'completed' },
})
