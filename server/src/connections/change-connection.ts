import { sql } from 'kysely'
import type { Db } from '../db/schema.ts'
import type { Integration } from '../integrations/define.ts'
import { callOffDeliveries } from '../webhooks/call-off.ts'
import { alignConnection } from './align-connections.ts'
import type { Connection } from './find-connections.ts'
import { inTransaction } from './in-transaction.ts'

/** Switching its events off also calls off those that still wait to be sent. */
export async function updateConnection(
  db: Db,
  id: string,
  change: { customer_id?: string | null; webhooks_disabled?: boolean },
): Promise<void> {
  await inTransaction(db, async (trx) => {
    await trx.updateTable('connections').set(change).where('id', '=', id).execute()
    if (change.webhooks_disabled) await callOffDeliveries(trx, id)
  })
}

/** Switches functions of one connection off and on; a list that is not given stays as it is. */
export async function setConnectionFunctions(
  db: Db,
  connection: Connection,
  integration: Integration,
  functions: { disabled?: readonly string[]; enabled?: readonly string[] },
): Promise<void> {
  await inTransaction(db, async (trx) => {
    await trx
      .updateTable('connections')
      .set({
        disabled_functions: functions.disabled ? [...functions.disabled] : sql<string[]>`disabled_functions`,
        enabled_functions: functions.enabled ? [...functions.enabled] : sql<string[]>`enabled_functions`,
      })
      .where('id', '=', connection.id)
      .execute()
    await alignConnection(trx, connection, integration)
  })
}
