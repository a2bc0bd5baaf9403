import type { Db } from '../db/schema.ts'
import { defineJob } from '../jobs/queue.ts'

/** Daily; runs `expireSyncJobs`. */
export const expireSyncJobsJob = defineJob('sync-jobs.expire', { cron: '27 3 * * *' })

/** Removes the on-demand syncs that were ordered before an instant, unless they are still open. */
export async function expireSyncJobs(db: Db, before: Date): Promise<void> {
  await db.deleteFrom('sync_jobs').where('status', '!=', 'open').where('created_at', '<', before).execute()
}
