import { sql } from 'kysely'
import { LRUCache } from 'lru-cache'
import type { Db } from '../db/schema.ts'
import { type ConnectionPage, listConnectionAnswers } from './answers.ts'

/**
 * Makes the reader of the list of connections. A page is made anew only when a row it was made of has changed, as the
 * versions (`xmin`) of its rows tell: reading those costs a fraction of making a thousand connections text. The versions
 * are read first, so that a page may be newer than its stamp but never older.
 */
export function pageKeeper(db: Db, limit: number) {
  const kept = new LRUCache<string, { stamp: string; page: ConnectionPage }>({
    maxSize: 32 * 1024 * 1024,
    sizeCalculation: ({ page }) => page.items.length + 1,
  })
  return async (organizationId: string, after: readonly string[] | null): Promise<ConnectionPage> => {
    const key = [organizationId, ...(after ?? [])].join(' ')
    const stamp = await readStamp(db, organizationId, after, limit)
    const known = kept.get(key)
    if (known?.stamp === stamp) return known.page
    const page = await listConnectionAnswers(db, organizationId, { after }, limit)
    kept.set(key, { stamp, page })
    return page
  }
}

async function readStamp(db: Db, organizationId: string, after: readonly string[] | null, limit: number) {
  const rest = after ? sql`and (created_at, id) > (${after[0]}::timestamptz, ${after[1]}::uuid)` : sql``
  const { rows } = await sql<{ stamp: string }>`
    select concat_ws('/',
      (select md5(string_agg(id::text || xmin::text, '')) from (
        select id, xmin from connections where organization_id = ${organizationId} ${rest}
        order by created_at, id limit ${limit + 1}
      ) as listed),
      (select md5(string_agg(e.id::text || e.xmin::text, '' order by e.id)) from connection_errors e
        join connections c on c.id = e.connection_id and c.organization_id = ${organizationId})
    ) as stamp`.execute(db)
  return rows[0]!.stamp
}
