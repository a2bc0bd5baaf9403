import { sql } from 'kysely'
import type { Db } from '../db/schema.ts'
import { deliveriesChannel } from './channel.ts'
import { testEventType } from './event-types.ts'

/** Sends one endpoint a message that tells of nothing. @returns the event's id */
export async function sendTestMessage(db: Db, organizationId: string, endpointId: string): Promise<string> {
  const payload = {
    connection_id: null,
    customer_id: null,
    event_type: testEventType,
    integration_name: null,
    integration_type: null,
    data: { message: 'This message shows that webhooks arrive.' },
  }
  const { rows } = await sql<{ id: string }>`
    with happened as (
      insert into webhook_events (organization_id, event_type, payload)
      values (${organizationId}, ${testEventType}, ${JSON.stringify(payload)}) returning id
    ), wanted as (
      insert into webhook_deliveries (event_id, endpoint_id) select id, ${endpointId}::uuid from happened
    )
    select id, pg_notify(${deliveriesChannel}, '') from happened`.execute(db)
  return rows[0]!.id
}
