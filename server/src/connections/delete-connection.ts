import { purgeRecordsJob } from '../data/purge-records.ts'
import type { Db } from '../db/schema.ts'
import type { Queue } from '../jobs/queue.ts'
import { emit } from '../webhooks/emit.ts'
import { eventSource } from './event-source.ts'
import type { Connection } from './find-connections.ts'

/** Removes a connection; its token is refused from now on. Its records, which may be many, are removed by a job. */
export async function deleteConnection(db: Db, queue: Pick<Queue, 'send'>, connection: Connection): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await emit(trx, eventSource(connection), [
      { type: 'connection.deleted', resourceId: null, data: { deleted_date: new Date().toISOString() } },
    ])
    await trx.deleteFrom('connections').where('id', '=', connection.id).execute()
    await queue.send(purgeRecordsJob, { connectionId: connection.id }, trx)
  })
}
