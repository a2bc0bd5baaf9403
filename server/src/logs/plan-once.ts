import { sql } from 'kysely'
import type { Db } from '../db/schema.ts'

/**
 * Reads the log with statements that are planned once per connection. Over many partitions planning costs more than
 * the reading, and the right plan is the same for all values.
 */
export function planOnce<Found>(db: Db, read: (trx: Db) => Promise<Found>): Promise<Found> {
  return db.transaction().execute(async (trx) => {
    await sql`set local plan_cache_mode = force_generic_plan`.execute(trx)
    return read(trx)
  })
}
