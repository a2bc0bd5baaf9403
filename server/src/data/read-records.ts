import { sql } from 'kysely'
import type { Db } from '../db/schema.ts'
import { readTextPage, type TextPage } from '../db/text-page.ts'
import type { Resource } from '../resources/define.ts'
import type { Condition } from './filters.ts'
import { nameOf } from './record-row.ts'

/**
 * Reads records in the order of (`created_date`, id), as they are answered. Nothing is listed before the first crawl of the resource is complete.
 * @param after the key of the last record had
 */
export async function listRecords(
  db: Db,
  resource: Resource,
  connectionId: string,
  conditions: readonly Condition[],
  after: readonly string[] | null,
  limit: number,
): Promise<TextPage> {
  const all = [
    sql`resource = ${sql.lit(nameOf(resource))}`,
    sql`connection_id = ${connectionId}`,
    sql`deleted_at is null`,
    sql`exists (select from schedules where connection_id = ${connectionId}
      and function_name = ${resource.readAction} and first_synced_at is not null)`,
    ...conditions,
    ...(after ? [sql`(created_date, id) > (${after[0]}::timestamptz, ${after[1]}::text)`] : []),
  ]
  const rows = sql`
    select id, created_date as at, row_number() over (order by created_date, id) as place, body::text as item
    from records where ${sql.join(all, sql` and `)} order by created_date, id`
  return readTextPage(db, rows, limit)
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
