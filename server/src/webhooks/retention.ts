import { sql } from 'kysely'
import type { Db } from '../db/schema.ts'
import { defineJob } from '../jobs/queue.ts'

/** Daily; runs `expireEvents`. */
export const expireEventsJob = defineJob('webhook-events.expire', { cron: '17 3 * * *' })

const keptDays = 30
const batchSize = 5_000

/** Removes events older than 30 days with their deliveries, and secrets that are no longer valid. */
export async function expireEvents(db: Db, now: Date): Promise<void> {
  const before = new Date(now.getTime() - keptDays * 86_400_000)
  await db.deleteFrom('webhook_retired_secrets').where('expires_at', '<=', now).execute()
  let expired: number
  do expired = await expireBatch(db, before)
  while (expired === batchSize)
}

async function expireBatch(db: Db, before: Date): Promise<number> {
  const { numAffectedRows } = await sql`
    with old as materialized (
      select id from webhook_events where created_at < ${before} order by created_at limit ${batchSize}
    ), undelivered as (
      delete from webhook_deliveries using old where event_id = old.id
    )
    delete from webhook_events event using old where event.id = old.id`.execute(db)
  return Number(numAffectedRows)
}
