import type pg from 'pg'
import { daysBefore, nextPeriod, periodOf } from './periods.ts'

/**
 * Makes the partitions of this period and the next, and drops those that end before the retention. Both happen beside
 * reading and writing: a new partition is attached, an old one detached concurrently. One process at a time; others
 * return at once.
 */
export async function maintainPartitions(pool: pg.Pool, now: Date, retentionDays: number): Promise<void> {
  const client = await pool.connect()
  try {
    const { rows } = await client.query('select pg_try_advisory_lock($1) as mine', [maintenanceLock])
    if (!rows[0].mine) return
    try {
      await createPartitions(client, [now, nextPeriod(now)])
      await dropPartitions(client, daysBefore(now, retentionDays))
    } finally {
      await client.query('select pg_advisory_unlock($1)', [maintenanceLock])
    }
  } finally {
    client.release()
  }
}

/** Makes the partitions that entries of these times go to, where they are missing. */
export async function createPartitions(client: pg.ClientBase, times: readonly Date[]): Promise<void> {
  const periods = new Set(times.map((time) => periodOf(time).getTime()))
  for (const start of [...periods].sort().map((time) => new Date(time))) {
    const name = partitionOf(start)
    await client.query('begin')
    try {
      await client.query('select pg_advisory_xact_lock($1)', [creationLock])
      const { rows } = await client.query('select 1 from pg_inherits where inhrelid = to_regclass($1)', [name])
      if (rows.length === 0) {
        await client.query(`create table ${name} (like api_logs)`)
        await client.query(
          `alter table api_logs attach partition ${name}
            for values from ('${start.toISOString()}') to ('${nextPeriod(start).toISOString()}')`,
        )
      }
      await client.query('commit')
    } catch (error) {
      await client.query('rollback')
      throw error
    }
  }
}

async function dropPartitions(client: pg.ClientBase, oldest: Date) {
  const { rows } = await client.query<{ name: string; pending: boolean }>(
    `select inhrelid::regclass::text as name, inhdetachpending as pending
     from pg_inherits where inhparent = 'api_logs'::regclass`,
  )
  // a detached partition that was not dropped, by a process that died in between
  const { rows: detached } = await client.query<{ name: string }>(
    `select c.oid::regclass::text as name from pg_class c
     where c.relname ~ '^api_logs_\\d{8}$' and c.relkind = 'r'
       and pg_table_is_visible(c.oid) and not exists (select from pg_inherits where inhrelid = c.oid)`,
  )
  for (const { name, pending } of rows) {
    if (nextPeriod(startOf(name)) > oldest) continue
    await client.query(`alter table api_logs detach partition ${name} ${pending ? 'finalize' : 'concurrently'}`)
    await client.query(`drop table ${name}`)
  }
  for (const { name } of detached) {
    if (nextPeriod(startOf(name)) <= oldest) await client.query(`drop table ${name}`)
  }
  await client.query('delete from api_log_series where period < $1', [periodOf(oldest)])
  await client.query('delete from api_log_connections where period < $1', [periodOf(oldest)])
  await client.query('delete from api_log_hours where hour < $1', [periodOf(oldest)])
}

const maintenanceLock = 7_266_041
const creationLock = 7_266_042

const partitionOf = (start: Date) => `api_logs_${start.toISOString().slice(0, 10).replaceAll('-', '')}`
const startOf = (name: string) => new Date(name.replace(/^.*_(\d{4})(\d\d)(\d\d)$/, '$1-$2-$3T00:00:00Z'))
