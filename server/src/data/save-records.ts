import { type RawBuilder, sql } from 'kysely'
import { jsonArray } from '../db/json-array.ts'
import type { Db } from '../db/schema.ts'
import type { Resource } from '../resources/define.ts'
import { answerOf, nameOf, type RecordRow } from './record-row.ts'

/** What saving did to one record. `before` is its answer as it was; null when it was not there. */
export interface SavedRecord {
  id: string
  before: string | null
  after: string
}

/**
 * Saves records of one resource of one connection: those equal to what is kept are not touched.
 * @param rows each id once
 * @returns the records written
 */
export async function saveRecords(
  trx: Db,
  resource: Resource,
  connectionId: string,
  rows: readonly RecordRow[],
  now: Date,
): Promise<SavedRecord[]> {
  if (rows.length === 0) return []
  // written out, so that PostgreSQL plans for one partition and keeps the plan
  const name = sql.lit(nameOf(resource))
  const there = await sql<{ id: string; same: boolean }>`
    select r.id, r.hash = n.hash and r.deleted_at is null as same
    from unnest(${rows.map((row) => row.id)}::text[], ${rows.map((row) => row.hash)}::bytea[]) as n (id, hash)
    join records r on r.resource = ${name} and r.connection_id = ${connectionId} and r.id = n.id`.execute(trx)
  const untouched = new Set(there.rows.flatMap((row) => (row.same ? row.id : [])))
  const changed = rows.filter((row) => !untouched.has(row.id))
  if (changed.length === 0) return []

  const kept = there.rows.length === untouched.size ? [] : await readKept(trx, name, connectionId, changed)
  const before = new Map(kept.map((row) => [row.id, row]))
  const at = now.toISOString()
  const saved = changed.map((row) => {
    const old = before.get(row.id)
    return {
      id: row.id,
      before: old && old.deleted_at === null ? old.body : null,
      after: answerOf(resource, row, {
        tags: old?.service_tags ?? null,
        createdDate: old?.service_created_date.toISOString() ?? at,
        updatedDate: at,
      }),
    }
  })
  await sql`
    insert into records (resource, connection_id, id, created_date, updated_date, service_created_date,
      service_updated_date, hash, filters, body)
    select ${name}, ${connectionId}, id, created_date, updated_date, ${at}, ${at}, hash, filters, body
    from unnest(
      ${changed.map((row) => row.id)}::text[],
      ${changed.map((row) => row.createdDate)}::timestamptz[],
      ${changed.map((row) => row.updatedDate)}::timestamptz[],
      ${changed.map((row) => row.hash)}::bytea[],
      ${changed.map((row) => JSON.stringify(row.filters))}::jsonb[],
      ${jsonArray(saved.map((row) => row.after))}::json[]
    ) as n (id, created_date, updated_date, hash, filters, body)
    on conflict (resource, connection_id, id) do update set
      created_date = excluded.created_date, updated_date = excluded.updated_date,
      service_updated_date = excluded.service_updated_date, hash = excluded.hash,
      filters = excluded.filters, body = excluded.body, deleted_at = null`.execute(trx)
  return saved
}

/** Marks deleted what a complete snapshot crawl has not seen; what was written since it began is left alone. */
export async function deleteUnseen(
  trx: Db,
  resource: Resource,
  connectionId: string,
  functionName: string,
  crawlStart: Date,
  now: Date,
): Promise<void> {
  await sql`
    update records r set deleted_at = ${now}
    where r.resource = ${sql.lit(nameOf(resource))} and r.connection_id = ${connectionId} and r.deleted_at is null
      and r.service_updated_date < ${crawlStart}
      and not exists (
        select from crawl_sightings s
        where s.connection_id = r.connection_id and s.function_name = ${functionName} and s.id = r.id
      )`.execute(trx)
}

/** Removes every record of a connection. */
export async function deleteRecords(db: Db, connectionId: string): Promise<void> {
  await db.deleteFrom('records').where('connection_id', '=', connectionId).execute()
}

/** Locks what is about to be changed. */
async function readKept(trx: Db, name: RawBuilder<unknown>, connectionId: string, rows: readonly RecordRow[]) {
  const { rows: kept } = await sql<KeptRecord>`
    select id, body::text as body, service_tags, service_created_date, deleted_at from records
    where resource = ${name} and connection_id = ${connectionId} and id = any(${rows.map((row) => row.id)})
    order by id for update`.execute(trx)
  return kept
}

interface KeptRecord {
  id: string
  body: string
  service_tags: unknown[] | null
  service_created_date: Date
  deleted_at: Date | null
}
