import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../db/schema.ts'
import type { Resource } from '../resources/define.ts'
import { holdCaller } from './hold-connection.ts'
import { answerOf, changedAt, nameOf, type RecordRow } from './record-row.ts'
import type { SavedRecord } from './save-records.ts'

export type Tags = readonly unknown[] | null

/**
 * Saves one record that was just written in its system. A newer version, which a crawl has brought meanwhile, stays.
 * @param written `tags`: its labels from now on, undefined: as they are; `created`: whether it should be new here
 * @returns what it is, and null for `changed` when nothing about it is new
 * @throws ApiError 401 when the connection was deleted meanwhile; nothing is saved
 */
export async function saveWritten(
  trx: Db,
  resource: Resource,
  connectionId: string,
  row: RecordRow,
  written: { tags: Tags | undefined; created: boolean },
  now: Date,
): Promise<{ body: string; changed: SavedRecord | null }> {
  await holdCaller(trx, connectionId)
  const { tags, created } = written
  const at = now.toISOString()
  const place = { resource: nameOf(resource), connectionId }
  if (created) {
    const body = answerOf(resource, row, { tags: tags ?? null, createdDate: at, updatedDate: at })
    const { numAffectedRows } = await insert(place, row, tags ?? null, at, at, body, sql`do nothing`).execute(trx)
    if (numAffectedRows === 1n) return { body, changed: { id: row.id, before: null, after: body } }
  }
  const old = await find(trx, resource, connectionId, row.id)
  const kept = tags === undefined ? (old?.service_tags ?? null) : tags
  const createdDate = old?.service_created_date.toISOString() ?? at
  const updatedDate = old ? changedAt(now, old.service_updated_date) : at
  const body = answerOf(resource, row, { tags: kept, createdDate, updatedDate })
  const present = old !== null && old.deleted_at === null
  if (present) {
    const overtaken = old.updated_date.toISOString() > row.updatedDate
    if (overtaken || (areSame(kept, old.service_tags) && row.hash.equals(old.hash))) {
      await noteWrite(trx, resource, connectionId, row.id)
      const { changed } = (await saveTags(trx, resource, connectionId, row.id, kept, now))!
      return { body: overtaken ? body : old.body, changed }
    }
  }
  await insert(place, row, kept, createdDate, updatedDate, body, replace).execute(trx)
  return { body, changed: { id: row.id, before: present ? old.body : null, after: body } }
}

const insert = (
  place: { resource: string; connectionId: string },
  row: RecordRow,
  tags: Tags,
  createdDate: string,
  updatedDate: string,
  body: string,
  onConflict: RawBuilder<unknown>,
) => sql`
  insert into records (resource, connection_id, id, created_date, updated_date, service_created_date,
    service_updated_date, written_at, hash, filters, service_tags, body)
  values (${place.resource}, ${place.connectionId}, ${row.id}, ${row.createdDate}, ${row.updatedDate}, ${createdDate},
    ${updatedDate}, now(), ${row.hash}, ${JSON.stringify(row.filters)}, ${tags && JSON.stringify(tags)}, ${body})
  on conflict (resource, connection_id, id) ${onConflict}`

const replace = sql`do update set
  created_date = excluded.created_date, updated_date = excluded.updated_date,
  service_updated_date = excluded.service_updated_date, written_at = excluded.written_at, hash = excluded.hash,
  filters = excluded.filters, service_tags = excluded.service_tags, body = excluded.body, deleted_at = null`

/** A write that changes nothing here still tells older pages from newer ones. */
async function noteWrite(trx: Db, resource: Resource, connectionId: string, id: string) {
  await sql`
    update records set written_at = now()
    where resource = ${sql.lit(nameOf(resource))} and connection_id = ${connectionId} and id = ${id}`.execute(trx)
}

/**
 * Puts labels in place of those a record has.
 * @returns what it is, and null for `changed` when it had them already; null where there is no such record
 */
export async function saveTags(
  trx: Db,
  resource: Resource,
  connectionId: string,
  id: string,
  tags: Tags,
  now: Date,
): Promise<{ body: string; changed: SavedRecord | null } | null> {
  const old = await find(trx, resource, connectionId, id)
  if (old === null || old.deleted_at !== null) return null
  if (areSame(tags, old.service_tags)) return { body: old.body, changed: null }
  const at = changedAt(now, old.service_updated_date)
  const after = JSON.stringify({ ...JSON.parse(old.body), service_tags: tags ?? [], service_updated_date: at })
  await sql`
    update records set body = ${after}, service_tags = ${JSON.stringify(tags ?? [])}, service_updated_date = ${at}
    where resource = ${sql.lit(nameOf(resource))} and connection_id = ${connectionId} and id = ${id}`.execute(trx)
  return { body: after, changed: { id, before: old.body, after } }
}

const areSame = (tags: Tags, others: Tags) => JSON.stringify(tags ?? []) === JSON.stringify(others ?? [])

async function find(trx: Db, resource: Resource, connectionId: string, id: string): Promise<KeptRecord | null> {
  const { rows } = await sql<KeptRecord>`
    select body::text as body, hash, service_tags, updated_date, service_created_date, service_updated_date, deleted_at
    from records
    where resource = ${sql.lit(nameOf(resource))} and connection_id = ${connectionId} and id = ${id} for update`.execute(
    trx,
  )
  return rows[0] ?? null
}

interface KeptRecord {
  body: string
  hash: Buffer
  service_tags: unknown[] | null
  updated_date: Date
  service_created_date: Date
  service_updated_date: Date
  deleted_at: Date | null
}
