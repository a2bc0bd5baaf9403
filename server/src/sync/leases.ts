import { sql } from 'kysely'
import type { Db } from '../db/schema.ts'

/** The right to crawl one schedule until `seconds` after the last renewal. */
export interface Lease {
  connectionId: string
  functionName: string
  /** Every write of a crawl names it; after somebody else claimed the schedule it writes nothing. */
  fence: string
  host: string
  seconds: number
  forced: boolean
  paused: boolean
  /** How often in a row it has failed, without a page saved in between. */
  failures: number
  /** Null before the first crawl. */
  checkpoint: unknown
  firstSyncedAt: Date | null
}

/** The schedule was claimed by another worker, paused, or deleted meanwhile, or its on-demand sync cancelled. */
export class LeaseLost extends Error {
  constructor() {
    super('The lease of this schedule is lost')
    this.name = 'LeaseLost'
  }
}

export interface Shares {
  connections: ReadonlyMap<string, number>
  hosts: ReadonlyMap<string, number>
  /** Of schedules whose last crawl failed. */
  failing: number
}

/**
 * Claims schedules that are due, longest due first, so that no connection, no host and not all the failing ones together
 * take more than their share.
 * @param running how many crawls this worker runs already
 * @param leaseSeconds a worker that dies is followed by another after at most this long and one poll
 */
export async function claimDue(
  db: Db,
  count: number,
  running: Shares,
  bounds: { perConnection: number; perHost: number; failing: number },
  leaseSeconds: number,
): Promise<Lease[]> {
  const saturated = (counts: ReadonlyMap<string, number>, bound: number) =>
    [...counts].flatMap(([key, value]) => (value >= bound ? key : []))
  const failing = bounds.failing - running.failing
  const { rows } = await sql<Lease>`
    with candidates as materialized (
      select connection_id, function_name, host, failures, due_at from schedules
      where due_at <= now()
        and (failures = 0 or ${failing > 0})
        and connection_id <> all(${saturated(running.connections, bounds.perConnection)}::uuid[])
        and host <> all(${saturated(running.hosts, bounds.perHost)}::text[])
      order by due_at limit ${count * 4} for update skip locked
    ), ranked as (
      select *,
        row_number() over (partition by connection_id order by due_at) +
          coalesce((${JSON.stringify(Object.fromEntries(running.connections))}::jsonb ->> connection_id::text)::integer, 0) as of_connection,
        row_number() over (partition by host order by due_at) +
          coalesce((${JSON.stringify(Object.fromEntries(running.hosts))}::jsonb ->> host)::integer, 0) as of_host,
        row_number() over (partition by failures > 0 order by due_at) as of_health
      from candidates
    ), chosen as (
      select connection_id, function_name from ranked
      where of_connection <= ${bounds.perConnection} and of_host <= ${bounds.perHost}
        and (failures = 0 or of_health <= ${failing})
      order by due_at limit ${count}
    )
    update schedules s set
      fence = fence + 1,
      running = true,
      due_at = now() + make_interval(secs => ${leaseSeconds}),
      last_crawl_start = case when checkpoint ? 'until' then last_crawl_start else now() end
    from chosen c where s.connection_id = c.connection_id and s.function_name = c.function_name
    returning s.connection_id as "connectionId", s.function_name as "functionName", s.fence, s.host,
      ${leaseSeconds}::integer as seconds, s.forced, s.paused, s.failures, s.checkpoint, s.first_synced_at as "firstSyncedAt"`.execute(
    db,
  )
  return rows
}

/**
 * Prolongs leases.
 * @returns those still held
 */
export async function renewLeases(db: Db, leases: readonly Lease[]): Promise<Lease[]> {
  const { rows } = await sql<{ connectionId: string; functionName: string; fence: string }>`
    update schedules s set due_at = now() + make_interval(secs => held.seconds)
    from unnest(
      ${leases.map((lease) => lease.connectionId)}::uuid[],
      ${leases.map((lease) => lease.functionName)}::text[],
      ${leases.map((lease) => lease.fence)}::bigint[],
      ${leases.map((lease) => lease.seconds)}::integer[]
    ) as held (connection_id, function_name, fence, seconds)
    where s.connection_id = held.connection_id and s.function_name = held.function_name and s.fence = held.fence
      and s.running
    returning s.connection_id as "connectionId", s.function_name as "functionName", s.fence`.execute(db)
  const kept = new Set(rows.map(keyOf))
  return leases.filter((lease) => kept.has(keyOf(lease)))
}

/**
 * Ends a lease without ending the crawl: it goes on from its checkpoint when it is due again. A lost lease is left alone.
 * @param afterSeconds 0: as soon as it is its turn
 * @param failures how often in a row it has failed now
 * @returns whether it was still held
 */
export async function releaseLease(db: Db, lease: Lease, afterSeconds: number, failures: number): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update schedules set running = false, failures = ${failures},
      due_at = case when ${rests} then null else now() + make_interval(secs => ${afterSeconds}) end,
      last_crawl_end = case when ${failures > 0} then now() else last_crawl_end end
    where connection_id = ${lease.connectionId} and function_name = ${lease.functionName} and fence = ${lease.fence}
  `.execute(db)
  return numAffectedRows === 1n
}

/** Whether an on-demand sync waits for a schedule. */
export const isOrdered = sql<boolean>`exists (
  select from sync_jobs job where job.connection_id = schedules.connection_id
    and job.function_name = schedules.function_name and job.status = 'open')`

/** A paused schedule moves only for what was asked of it by name. */
export const rests = sql<boolean>`(schedules.paused and not schedules.forced and not ${isOrdered})`

const keyOf = (lease: { connectionId: string; functionName: string; fence: string }) =>
  `${lease.connectionId} ${lease.functionName} ${lease.fence}`
