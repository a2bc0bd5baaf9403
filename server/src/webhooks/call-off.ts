import { sql } from 'kysely'
import type { Db } from '../db/schema.ts'

/** Gives up what is still to be sent of a connection's events. */
export async function callOffDeliveries(trx: Db, connectionId: string): Promise<void> {
  await sql`
    update webhook_deliveries delivery set status = 'failed', due_at = null from webhook_events event
    where event.connection_id = ${connectionId} and delivery.event_id = event.id and delivery.due_at is not null`.execute(
    trx,
  )
}
