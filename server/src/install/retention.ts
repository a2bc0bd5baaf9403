import type { Db } from '../db/schema.ts'
import { defineJob } from '../jobs/queue.ts'

/** Daily; runs `expireAttempts`. */
export const expireAttemptsJob = defineJob('install-attempts.expire', { cron: '37 3 * * *' })

/** Removes the installs that were tried before an instant. */
export async function expireAttempts(db: Db, before: Date): Promise<void> {
  await db.deleteFrom('install_attempts').where('created_at', '<', before).execute()
}
