import { sql } from 'kysely'
import type { Static } from 'typebox'
import { holdCaller } from '../data/hold-connection.ts'
import type { Db } from '../db/schema.ts'
import { errors } from '../errors.ts'
import { uuidOrNull } from '../uuid.ts'
import type { syncJob } from '../webhooks/event-types.ts'
import type { Checkpoint } from './checkpoint.ts'

/** One on-demand sync of a time window. */
export type SyncJob = Static<typeof syncJob>

/**
 * Orders a window to be synced; it runs before anything else of its function.
 * @throws ApiError 401 when the connection was deleted meanwhile, or 409 when too many are open already
 */
export async function createSyncJob(
  db: Db,
  job: { connectionId: string; functionName: string; start: Date; end: Date },
): Promise<SyncJob> {
  return db.transaction().execute(async (trx) => {
    await holdCaller(trx, job.connectionId)
    const open = await trx
      .selectFrom('sync_jobs')
      .select('id')
      .where('connection_id', '=', job.connectionId)
      .where('function_name', '=', job.functionName)
      .where('status', '=', 'open')
      .limit(mostOpen)
      .execute()
    if (open.length === mostOpen) {
      throw errors.conflict(`${job.functionName} has ${mostOpen} open on-demand syncs; let one end first`)
    }
    const row = await trx
      .insertInto('sync_jobs')
      .values({
        connection_id: job.connectionId,
        function_name: job.functionName,
        requested_start_time: job.start,
        requested_end_time: job.end,
      })
      .returningAll()
      .executeTakeFirstOrThrow()
    await trx
      .updateTable('schedules')
      .set({ due_at: sql`now()` })
      .where('connection_id', '=', job.connectionId)
      .where('function_name', '=', job.functionName)
      .where('running', '=', false)
      .execute()
    return present(row)
  })
}

/** Of one function. Those that are ordered at the same instant may come to a few more. */
const mostOpen = 100

/** Newest first. @param after `created_at` and id of the last one had */
export async function listSyncJobs(
  db: Db,
  connectionId: string,
  after: readonly string[] | null,
  limit: number,
): Promise<SyncJob[]> {
  const rows = await db
    .selectFrom('sync_jobs')
    .selectAll()
    .where('connection_id', '=', connectionId)
    .$if(after !== null, (query) =>
      query.where((on) => on(on.refTuple('created_at', 'id'), '<', on.tuple(new Date(after![0]!), after![1]!))),
    )
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
  return rows.map(present)
}

/** @throws ApiError 404 */
export async function getSyncJob(db: Db, connectionId: string, id: string): Promise<SyncJob> {
  const row = await db
    .selectFrom('sync_jobs')
    .selectAll()
    .where('connection_id', '=', connectionId)
    .where(sql<boolean>`id = ${uuidOrNull(id)}`)
    .executeTakeFirst()
  if (!row) throw errors.notFound('Sync job', id)
  return present(row)
}

/** @throws ApiError 404, or 409 when the job is not open any more */
export async function cancelSyncJob(db: Db, connectionId: string, id: string): Promise<SyncJob> {
  const row = await db
    .updateTable('sync_jobs')
    .set({ status: 'cancelled' })
    .where('connection_id', '=', connectionId)
    .where(sql<boolean>`id = ${uuidOrNull(id)}`)
    .where('status', '=', 'open')
    .returningAll()
    .executeTakeFirst()
  if (row) return present(row)
  const { status } = await getSyncJob(db, connectionId, id)
  throw errors.conflict(`This sync job is ${status}; only an open one can be cancelled`)
}

/** The oldest open job of a schedule, with the checkpoint its crawl goes on from. */
export async function openJobOf(
  db: Db,
  { connectionId, functionName }: { connectionId: string; functionName: string },
): Promise<{ job: SyncJob; checkpoint: Checkpoint & { until: string } } | null> {
  const row = await db
    .selectFrom('sync_jobs')
    .selectAll()
    .where('connection_id', '=', connectionId)
    .where('function_name', '=', functionName)
    .where('status', '=', 'open')
    .orderBy('created_at')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
  if (!row) return null
  const start = { since: row.requested_start_time.toISOString(), until: row.requested_end_time.toISOString() }
  return { job: present(row), checkpoint: (row.checkpoint as typeof start | null) ?? start }
}

/** @returns whether the job is still open */
export async function saveJobCheckpoint(trx: Db, id: string, checkpoint: Checkpoint, done: boolean): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('sync_jobs')
    .set({ checkpoint: JSON.stringify(checkpoint), status: done ? 'completed' : 'open', failures: 0 })
    .where('id', '=', id)
    .where('status', '=', 'open')
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/**
 * Counts a failed crawl of an on-demand sync; after too many in a row it is stuck, and does not go on by itself.
 * @returns it where it is stuck now
 */
export async function recordJobFailure(trx: Db, id: string, stuckAfter: number): Promise<SyncJob | null> {
  const row = await trx
    .updateTable('sync_jobs')
    .set({
      failures: sql`failures + 1`,
      status: sql`case when failures + 1 >= ${stuckAfter}::integer then 'stuck' else status end`,
    })
    .where('id', '=', id)
    .where('status', '=', 'open')
    .returningAll()
    .executeTakeFirst()
  return row?.status === 'stuck' ? present(row) : null
}

/** Removes the on-demand syncs of a connection, in the transaction that makes it new. */
export async function deleteSyncJobs(trx: Db, connectionId: string): Promise<void> {
  await trx.deleteFrom('sync_jobs').where('connection_id', '=', connectionId).execute()
}

function present(row: {
  id: string
  connection_id: string
  function_name: string
  status: SyncJob['status']
  requested_start_time: Date
  requested_end_time: Date
  created_at: Date
}): SyncJob {
  return {
    id: row.id,
    connection_id: row.connection_id,
    function_name: row.function_name,
    status: row.status,
    requested_start_time: row.requested_start_time.toISOString(),
    requested_end_time: row.requested_end_time.toISOString(),
    created_at: row.created_at.toISOString(),
  }
}
