import { type RawBuilder, sql } from 'kysely'
import type { Db } from './schema.ts'

/** A page of a list as it is answered. */
export interface TextPage {
  /** The items as JSON texts, with commas between. */
  items: string
  count: number
  /** Key of the last one; null at the end of the list. */
  next: [at: Date, id: string] | null
}

/**
 * Reads a page as one text: PostgreSQL joins it many times faster than rows can be taken apart here.
 * @param rows a select, in its order, of `item` (JSON text), `at` and `id` (the key, id as text) and `place` (from 1)
 */
export async function readTextPage(db: Db, rows: RawBuilder<unknown>, limit: number): Promise<TextPage> {
  const { rows: pages } = await sql<{ items: string | null; found: number; at: Date; id: string }>`
    select string_agg(item, ',') filter (where place <= ${limit}) as items, count(*)::integer as found,
      max(at) filter (where place = ${limit}) as at, max(id) filter (where place = ${limit}) as id
    from (${rows} limit ${limit + 1}) as page`.execute(db)
  const { items, found, at, id } = pages[0]!
  return { items: items ?? '', count: Math.min(found, limit), next: found > limit ? [at, id] : null }
}
