import { sql } from 'kysely'
import type { Db } from '../db/schema.ts'
import type { Resource } from '../resources/define.ts'
import type { Condition } from './filters.ts'
import { nameOf } from './record-row.ts'

/** JSON text of a record as it is answered, with its place in the list. */
export interface ListedRecord {
  id: string
  created_date: Date
  body: string
}

/**
 * Reads records in the order of (`created_date`, id). Nothing is listed before the first crawl of the resource is complete.
 * @param after the key of the last record had
 */
export async function listRecords(
  db: Db,
  resource: Resource,
  connectionId: string,
  conditions: readonly Condition[],
  after: readonly string[] | null,
  limit: number,
): Promise<ListedRecord[]> {
  const all = [
    sql`resource = ${sql.lit(nameOf(resource))}`,
    sql`connection_id = ${connectionId}`,
    sql`deleted_at is null`,
    sql`exists (select from schedules where connection_id = ${connectionId}
      and function_name = ${resource.readAction} and first_synced_at is not null)`,
    ...conditions,
    ...(after ? [sql`(created_date, id) > (${after[0]}::timestamptz, ${after[1]}::text)`] : []),
  ]
  const { rows } = await sql<ListedRecord>`
    select id, created_date, body::text as body from records
    where ${sql.join(all, sql` and `)} order by created_date, id limit ${limit}`.execute(db)
  return rows
}

/** @returns the record as it is answered, JSON text */
export async function findRecord(
  db: Db,
  resource: Resource,
  connectionId: string,
  id: string,
  conditions: readonly Condition[],
): Promise<string | null> {
  const all = [
    sql`resource = ${sql.lit(nameOf(resource))}`,
    sql`connection_id = ${connectionId}`,
    sql`id = ${id}`,
    sql`deleted_at is null`,
    ...conditions,
  ]
  const { rows } = await sql<{ body: string }>`
    select body::text as body from records where ${sql.join(all, sql` and `)}`.execute(db)
  return rows[0]?.body ?? null
}
