import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../db/schema.ts'
import type { Account, Credentials, Integration } from '../integrations/define.ts'
import { hashSecret, newAccessToken, type Vault } from '../secrets.ts'
import { resolveAllErrors } from '../sync/connection-errors.ts'
import { restartSchedules } from '../sync/schedules.ts'
import { emit } from '../webhooks/emit.ts'
import { alignConnection } from './align-connections.ts'
import { sealAccessToken, sealCredentials } from './connection-secrets.ts'
import { eventSource } from './event-source.ts'
import type { Connection } from './find-connections.ts'
import { inTransaction } from './in-transaction.ts'

export interface NewConnection {
  /** Given for sandboxes, whose identity never changes. */
  identity?: { id: string; accessToken: string }
  organizationId: string
  integration: Integration
  host: string
  credentials: Credentials
  me: Account | null
  customerId: string | null
  disabledFunctions: readonly string[]
  enabledFunctions: readonly string[]
}

/** Creates a connection with its schedules, all due now, and tells `connection.created`. */
export async function createConnection(db: Db, vault: Vault, wanted: NewConnection): Promise<string> {
  const { id, accessToken } = wanted.identity ?? { id: crypto.randomUUID(), accessToken: newAccessToken() }
  return inTransaction(db, async (trx) => {
    await trx
      .insertInto('connections')
      .values({
        id,
        organization_id: wanted.organizationId,
        integration_type: wanted.integration.type,
        integration_name: wanted.integration.name,
        host: wanted.host,
        customer_id: wanted.customerId,
        token_hash: hashSecret(accessToken),
        token_sealed: sealAccessToken(vault, id, accessToken),
        credentials_sealed: sealCredentials(vault, id, wanted.credentials),
        me: wanted.me && JSON.stringify(wanted.me),
        disabled_functions: [...wanted.disabledFunctions],
        enabled_functions: [...wanted.enabledFunctions],
      })
      .execute()
    const connection = await alignConnection(trx, { id, organizationId: wanted.organizationId }, wanted.integration)
    await emit(trx, eventSource(connection), [
      { type: 'connection.created', resourceId: null, data: { created_date: connection.createdAt } },
    ])
    return id
  })
}

/**
 * Puts new credentials in place of the old; id, token, data and checkpoints stay, every schedule is due now. What was
 * switched off or on stays so.
 */
export async function reinstallConnection(
  db: Db,
  vault: Vault,
  connection: Connection,
  installed: Pick<
    NewConnection,
    'integration' | 'host' | 'credentials' | 'me' | 'disabledFunctions' | 'enabledFunctions'
  >,
): Promise<void> {
  await inTransaction(db, async (trx) => {
    await trx
      .updateTable('connections')
      .set({
        host: installed.host,
        credentials_sealed: sealCredentials(vault, connection.id, installed.credentials),
        me: installed.me && JSON.stringify(installed.me),
        disabled_functions: united(sql`disabled_functions`, installed.disabledFunctions),
        enabled_functions: united(sql`enabled_functions`, installed.enabledFunctions),
      })
      .where('id', '=', connection.id)
      .execute()
    const updated = await alignConnection(trx, connection, installed.integration)
    await resolveAllErrors(trx, eventSource(updated))
    await restartSchedules(trx, connection.id)
  })
}

/** SQL for a list of names with others added to it. */
const united = (names: RawBuilder<unknown>, others: readonly string[]) =>
  sql<string[]>`array(select unnest(${names}) union select unnest(${others}::text[]) order by 1)`
