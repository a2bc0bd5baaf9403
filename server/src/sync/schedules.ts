import { type RawBuilder, sql } from 'kysely'
import { instant } from '../db/instant.ts'
import type { Db } from '../db/schema.ts'
import { errors } from '../errors.ts'
import { isOrdered, rests } from './leases.ts'

export interface SyncSchedule {
  function_name: string
  last_crawl_start: string | null
  last_crawl_end: string | null
  latest_data: string | null
  /** Seconds. */
  sync_frequency: number
  sync_status: SyncStatus
}

export const syncStatuses = ['enabled', 'disabled', 'sync_in_progress', 'first_sync_in_progress', 'error'] as const
export type SyncStatus = (typeof syncStatuses)[number]

/** A read function of a connection, as its integration and the policies have it. */
export interface SchedulableFunction {
  functionName: string
  everySeconds: number
  enabled: boolean
}

/** A connection with all its read functions. */
export interface ScheduledConnection {
  id: string
  host: string
  functions: readonly SchedulableFunction[]
}

/**
 * Brings the schedules of connections in line with their functions. A function switched off, or gone, keeps its
 * checkpoint and stops at once; switched on again it is due at once and goes on from there.
 */
export async function alignSchedules(db: Db, connections: readonly ScheduledConnection[]): Promise<void> {
  const wanted = connections.flatMap(({ id, host, functions }) => functions.map((each) => ({ id, host, ...each })))
  await sql`
    with wanted as (
      select * from unnest(
        ${wanted.map((each) => each.id)}::uuid[],
        ${wanted.map((each) => each.host)}::text[],
        ${wanted.map((each) => each.functionName)}::text[],
        ${wanted.map((each) => each.everySeconds)}::integer[],
        ${wanted.map((each) => each.enabled)}::boolean[]
      ) as wanted (connection_id, host, function_name, every, enabled)
    ), gone as (
      update schedules set disabled = true, fence = fence + 1, running = false, due_at = null
      where connection_id = any(${connections.map(({ id }) => id)}::uuid[]) and not disabled
        and (connection_id, function_name) not in (select connection_id, function_name from wanted)
    )
    insert into schedules (connection_id, function_name, host, sync_frequency, disabled, due_at)
    select connection_id, function_name, host, every, not enabled, case when enabled then now() end from wanted
    where not exists (
      select from schedules there
      where there.connection_id = wanted.connection_id and there.function_name = wanted.function_name
        and there.host = wanted.host and there.disabled = not wanted.enabled)
    on conflict (connection_id, function_name) do update set
      host = excluded.host,
      disabled = excluded.disabled,
      fence = case when excluded.disabled then schedules.fence + 1 else schedules.fence end,
      running = schedules.running and not excluded.disabled,
      due_at = case
        when excluded.disabled then null
        when schedules.disabled and not ${rests} then now()
        else schedules.due_at
      end`.execute(db)
}

/**
 * Lets every schedule of a connection go on at once with new credentials: what still crawls with the old ones has lost its
 * lease, and what failed with them counts no more.
 */
export async function restartSchedules(db: Db, connectionId: string): Promise<void> {
  await sql`
    update schedules set fence = fence + 1, running = false, failures = 0,
      due_at = case when not disabled and not ${rests} then now() end
    where connection_id = ${connectionId}`.execute(db)
}

/** Makes the schedules of a connection as they were at first, each to begin anew with a first crawl. */
export async function resetSchedules(
  db: Db,
  { id, functions }: Pick<ScheduledConnection, 'id' | 'functions'>,
): Promise<void> {
  await sql`
    update schedules set fence = fence + 1, running = false, paused = false, forced = false, failures = 0,
      checkpoint = null, latest_data = null, first_synced_at = null, last_crawl_start = null, last_crawl_end = null,
      due_at = case when not disabled then now() end,
      sync_frequency = coalesce((
        select every from unnest(
          ${functions.map(({ functionName }) => functionName)}::text[],
          ${functions.map(({ everySeconds }) => everySeconds)}::integer[]
        ) as first (name, every) where name = function_name
      ), sync_frequency)
    where connection_id = ${id}`.execute(db)
}

export async function listSchedules(db: Db, connectionId: string): Promise<SyncSchedule[]> {
  const { rows } = await sql<{ schedules: string }>`select ${schedulesOf(sql`${connectionId}`)} as schedules`.execute(
    db,
  )
  return JSON.parse(rows[0]!.schedules)
}

/** SQL for the schedules of a connection as they are answered, JSON text. */
export const schedulesOf = (connectionId: RawBuilder<unknown>) => sql<string>`(
  select coalesce(array_to_json(array_agg(schedule order by function_name)), '[]')::text from (
    select function_name,
      ${instant(sql`last_crawl_start`)} as last_crawl_start,
      ${instant(sql`last_crawl_end`)} as last_crawl_end,
      ${instant(sql`latest_data`)} as latest_data,
      sync_frequency,
      case
        when running and first_synced_at is null then 'first_sync_in_progress'
        when running then 'sync_in_progress'
        when paused then 'disabled'
        when failures > 0 then 'error'
        else 'enabled'
      end as sync_status
    from schedules where connection_id = ${connectionId} and not disabled
  ) as schedule)`

/** SQL for the names of a connection's functions whose first crawl is complete. */
export const firstSyncedOf = (connectionId: RawBuilder<unknown>) => sql<string[]>`array(
  select function_name from schedules where connection_id = ${connectionId} and first_synced_at is not null)`

/** Function names whose first crawl is complete. */
export async function listFirstSynced(db: Db, connectionId: string): Promise<string[]> {
  const { rows } = await sql<{ names: string[] }>`select ${firstSyncedOf(sql`${connectionId}`)} as names`.execute(db)
  return rows[0]!.names
}

/**
 * Pauses or unpauses one schedule, or all. A paused crawl stops at once and later goes on from its checkpoint; what was
 * asked for by name is still done.
 * @throws ApiError 404 when the connection has no such schedule
 */
export async function pauseSchedules(
  db: Db,
  connectionId: string,
  functionName: string | null,
  paused: boolean,
): Promise<void> {
  const { numUpdatedRows } = await db
    .updateTable('schedules')
    .set({
      paused,
      fence: paused ? sql`fence + 1` : sql`fence`,
      running: paused ? false : sql<boolean>`running`,
      due_at: paused ? sql`case when forced or ${isOrdered} then now() end` : sql`coalesce(due_at, now())`,
    })
    .where('connection_id', '=', connectionId)
    .where('disabled', '=', false)
    .$if(functionName !== null, (query) => query.where('function_name', '=', functionName!))
    .executeTakeFirst()
  if (functionName !== null && numUpdatedRows === 0n) throw errors.notFound('Schedule', functionName)
}

/** @throws ApiError 404 when the connection has no such schedule */
export async function setFrequency(db: Db, connectionId: string, functionName: string, seconds: number): Promise<void> {
  const { numUpdatedRows } = await db
    .updateTable('schedules')
    .set({
      sync_frequency: seconds,
      due_at: sql`case when running or due_at is null then due_at
        else least(due_at, greatest(now(), coalesce(last_crawl_start, now()) + make_interval(secs => ${seconds}))) end`,
    })
    .where('connection_id', '=', connectionId)
    .where('function_name', '=', functionName)
    .where('disabled', '=', false)
    .executeTakeFirst()
  if (numUpdatedRows === 0n) throw errors.notFound('Schedule', functionName)
}

/** Makes schedules due now, paused ones too; those already crawling are left alone. */
export async function forceSync(db: Db, connectionId: string, functionNames: readonly string[] | null): Promise<void> {
  await db
    .updateTable('schedules')
    .set({ due_at: sql`now()`, forced: true })
    .where('connection_id', '=', connectionId)
    .where('disabled', '=', false)
    .where('running', '=', false)
    .$if(functionNames !== null, (query) => query.where('function_name', '=', sql<string>`any(${functionNames})`))
    .execute()
}
