import { sql } from 'kysely'
import type { Db } from '../db/schema.ts'
import { defineJob } from '../jobs/queue.ts'

/** Removes what is left of a deleted connection. */
export const purgeRecordsJob = defineJob<{ connectionId: string }>('records.purge')

/** Does the job. A sandbox may have been made again under its id meanwhile: what it has by now stays. */
export async function purgeRecords(db: Db, connectionId: string): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await lockRemoval(trx, connectionId)
    await sql`
      delete from records
      where connection_id = ${connectionId} and not exists (select from connections where id = ${connectionId})`.execute(
      trx,
    )
  })
}

/** Removes every record of a connection, in the transaction that makes it new. */
export async function deleteRecords(trx: Db, connectionId: string): Promise<void> {
  await lockRemoval(trx, connectionId)
  await trx.deleteFrom('records').where('connection_id', '=', connectionId).execute()
}

/** One removal after the other until their transactions end, so that the purge sees a connection that is being made. */
const lockRemoval = (trx: Db, connectionId: string) =>
  sql`select pg_advisory_xact_lock(hashtextextended(${`records of ${connectionId}`}, 0))`.execute(trx)
