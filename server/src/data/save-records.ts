import { type RawBuilder, sql } from 'kysely'
import { jsonArray } from '../db/json-array.ts'
import type { Db } from '../db/schema.ts'
import type { Resource } from '../resources/define.ts'
import { answerOf, changedAt, nameOf, type RecordRow } from './record-row.ts'

/** What saving did to one record. `before` is its answer as it was; null when it was not there. */
export interface SavedRecord {
  id: string
  before: string | null
  after: string
}

/**
 * Saves records of one resource of one connection. Left alone are those equal to what is kept, and those that were
 * written through the API after the page was asked for: it may show them as they were before. Their dates do not tell
 * which is newer: not every change shows in them, and some go back.
 * @param rows each id once
 * @param askedAt time of the database when the system was asked for them
 * @returns the records saved
 */
export async function saveRecords(
  trx: Db,
  resource: Resource,
  connectionId: string,
  rows: readonly RecordRow[],
  askedAt: Date,
  now: Date,
): Promise<SavedRecord[]> {
  if (rows.length === 0) return []
  const place = { name: sql.lit(nameOf(resource)), connectionId }
  const at = now.toISOString()
  const there = await compare(trx, place, rows)
  const fresh = rows
    .filter((row) => !there.has(row.id))
    .map((row) => ({ row, at, body: answerOf(resource, row, { tags: null, createdDate: at, updatedDate: at }) }))
  const inserted = new Set(await insert(trx, place, fresh, doNothing))
  const created = fresh.filter(({ row }) => inserted.has(row.id))

  // a record that was created since they were compared is there now, and perhaps the same
  const differing = rows.filter((row) => !inserted.has(row.id) && there.get(row.id) !== 'same')
  const kept = new Map((await lockOutdated(trx, place, differing, askedAt)).map((old) => [old.id, old]))
  const changed = differing.flatMap((row) => {
    const old = kept.get(row.id)
    if (!old) return []
    const createdDate = old.service_created_date.toISOString()
    const updatedDate = changedAt(now, old.service_updated_date)
    const body = answerOf(resource, row, { tags: old.service_tags, createdDate, updatedDate })
    return [{ row, old, at: updatedDate, body }]
  })
  await insert(trx, place, changed, replace)
  return [
    ...created.map(({ row, body }) => ({ id: row.id, before: null, after: body })),
    ...changed.map(({ row, old, body }) => ({
      id: row.id,
      before: old.deleted_at === null ? old.body : null,
      after: body,
    })),
  ]
}

/** The name is written out, so that PostgreSQL plans for one partition and keeps the plan. */
interface Place {
  name: RawBuilder<unknown>
  connectionId: string
}

/** SQL for the rows and what is kept under their ids, to be joined to. */
const pairs = ({ name, connectionId }: Place, rows: readonly RecordRow[]) => sql`
  unnest(${rows.map((row) => row.id)}::text[], ${rows.map((row) => row.hash)}::bytea[]) as n (id, hash)
  join records r on r.resource = ${name} and r.connection_id = ${connectionId} and r.id = n.id`

const isSame = sql`(r.hash = n.hash and r.deleted_at is null)`

async function compare(trx: Db, place: Place, rows: readonly RecordRow[]) {
  const found = await sql<{ id: string; same: boolean }>`
    select r.id, ${isSame} as same from ${pairs(place, rows)}`.execute(trx)
  return new Map(found.rows.map(({ id, same }) => [id, same ? 'same' : 'other'] as const))
}

/** Locks what is to be replaced. What another transaction is changing is looked at again when that has ended. */
async function lockOutdated(trx: Db, place: Place, rows: readonly RecordRow[], askedAt: Date): Promise<KeptRecord[]> {
  if (rows.length === 0) return []
  const { rows: kept } = await sql<KeptRecord>`
    select r.id, r.body::text as body, r.service_tags, r.service_created_date, r.service_updated_date, r.deleted_at
    from ${pairs(place, rows)}
    where not ${isSame} and (r.written_at is null or r.written_at < ${askedAt})
    order by r.id for update of r`.execute(trx)
  return kept
}

/** @returns the ids that `onConflict` returns */
async function insert(
  trx: Db,
  { name, connectionId }: Place,
  records: readonly { row: RecordRow; at: string; body: string }[],
  onConflict: RawBuilder<unknown>,
): Promise<string[]> {
  if (records.length === 0) return []
  const { rows } = await sql<{ id: string }>`
    insert into records (resource, connection_id, id, created_date, updated_date, service_created_date,
      service_updated_date, hash, filters, body)
    select ${name}, ${connectionId}, id, created_date, updated_date, at, at, hash, filters, body
    from unnest(
      ${records.map(({ row }) => row.id)}::text[],
      ${records.map(({ row }) => row.createdDate)}::timestamptz[],
      ${records.map(({ row }) => row.updatedDate)}::timestamptz[],
      ${records.map(({ at }) => at)}::timestamptz[],
      ${records.map(({ row }) => row.hash)}::bytea[],
      ${records.map(({ row }) => JSON.stringify(row.filters))}::jsonb[],
      ${jsonArray(records.map(({ body }) => body))}::json[]
    ) as n (id, created_date, updated_date, at, hash, filters, body)
    on conflict (resource, connection_id, id) ${onConflict}`.execute(trx)
  return rows.map(({ id }) => id)
}

const doNothing = sql`do nothing returning id`
const replace = sql`do update set
  created_date = excluded.created_date, updated_date = excluded.updated_date,
  service_updated_date = excluded.service_updated_date, hash = excluded.hash,
  filters = excluded.filters, body = excluded.body, deleted_at = null`

interface KeptRecord {
  id: string
  body: string
  service_tags: unknown[] | null
  service_created_date: Date
  service_updated_date: Date
  deleted_at: Date | null
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
