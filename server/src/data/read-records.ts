import { sql } from 'kysely'
import type { Db } from '../db/schema.ts'
import type { Resource } from '../resources/define.ts'
import type { Condition } from './filters.ts'
import { nameOf } from './record-row.ts'

/** A page of records as they are answered. */
export interface RecordPage {
  /** The records as JSON texts, with commas between. */
  bodies: string
  count: number
  /** Key of the last record; null at the end of the list. */
  next: [createdDate: Date, id: string] | null
}

/**
 * Reads records in the order of (`created_date`, id), as one text: PostgreSQL joins it many times faster than rows can be
 * taken apart here. Nothing is listed before the first crawl of the resource is complete.
 * @param after the key of the last record had
 */
export async function listRecords(
  db: Db,
  resource: Resource,
  connectionId: string,
  conditions: readonly Condition[],
  after: readonly string[] | null,
  limit: number,
): Promise<RecordPage> {
  const all = [
    sql`resource = ${sql.lit(nameOf(resource))}`,
    sql`connection_id = ${connectionId}`,
    sql`deleted_at is null`,
    sql`exists (select from schedules where connection_id = ${connectionId}
      and function_name = ${resource.readAction} and first_synced_at is not null)`,
    ...conditions,
    ...(after ? [sql`(created_date, id) > (${after[0]}::timestamptz, ${after[1]}::text)`] : []),
  ]
  const { rows } = await sql<{ bodies: string | null; found: number; created_date: Date; id: string }>`
    select string_agg(body::text, ',') filter (where place <= ${limit}) as bodies, count(*)::integer as found,
      max(created_date) filter (where place = ${limit}) as created_date, max(id) filter (where place = ${limit}) as id
    from (
      select id, created_date, body, row_number() over (order by created_date, id) as place from records
      where ${sql.join(all, sql` and `)} order by created_date, id limit ${limit + 1}
    ) as page`.execute(db)
  const { bodies, found, created_date, id } = rows[0]!
  return { bodies: bodies ?? '', count: Math.min(found, limit), next: found > limit ? [created_date, id] : null }
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
