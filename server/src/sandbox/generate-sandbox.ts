import { sql } from 'kysely'
import { setConnectionFunctions } from '../connections/change-connection.ts'
import { openAccessToken, sealAccessToken } from '../connections/connection-secrets.ts'
import { findConnection } from '../connections/find-connections.ts'
import { createConnection, reinstallConnection } from '../connections/install-connection.ts'
import { schedulableFunctions } from '../connections/policy.ts'
import { holdConnection } from '../data/hold-connection.ts'
import { deleteRecords } from '../data/purge-records.ts'
import type { Db } from '../db/schema.ts'
import { forgetKeysOf } from '../idempotency/idempotency.ts'
import type { Registry } from '../integrations/registry.ts'
import { hashSecret, newAccessToken, newWarehouseKey, type Vault } from '../secrets.ts'
import { resetSchedules } from '../sync/schedules.ts'
import { deleteSyncJobs } from '../sync/sync-jobs.ts'
import { accountOf, resetWarehouse } from './warehouse/store.ts'

/**
 * Gives an organization its sandbox connection of a type: the same id and access token every time, its warehouse, its
 * data and its schedules as new, without on-demand syncs.
 * @throws ApiError 404 where the type has no sandbox
 */
export async function generateSandbox(
  trx: Db,
  parts: { vault: Vault; registry: Registry; now: () => Date },
  organizationId: string,
  type: string,
): Promise<{ connectionId: string }> {
  const { vault, registry } = parts
  const integration = registry.get(type, 'sandbox')
  const warehouseKey = newWarehouseKey()
  const { id, accessToken } = await identityOf(trx, vault, organizationId, type)
  await resetWarehouse(trx, { id, keyHash: hashSecret(warehouseKey), seed: id, now: parts.now() })
  const { account, title } = accountOf(id)
  const installed = {
    integration,
    host: 'sandbox',
    credentials: { warehouse_key: warehouseKey },
    me: { account_id: account, account_name: title },
    disabledFunctions: [],
    enabledFunctions: [],
  }
  const connection = (await holdConnection(trx, id)) && (await findConnection(trx, id))
  if (connection) {
    // before the schedules: in the order in which crawls lock them
    await deleteSyncJobs(trx, id)
    await reinstallConnection(trx, vault, connection, installed)
    await setConnectionFunctions(trx, connection, integration, { disabled: [], enabled: [] })
    await resetSchedules(trx, { id, functions: schedulableFunctions(integration, new Set()) })
  } else {
    const identity = { id, accessToken }
    await createConnection(trx, vault, { ...installed, identity, organizationId, customerId: null })
  }
  await deleteRecords(trx, id)
  await forgetKeysOf(trx, id)
  return { connectionId: id }
}

/** Made once, then the same for ever; the row is locked, so that two calls at once follow each other. */
async function identityOf(trx: Db, vault: Vault, organizationId: string, type: string) {
  const id = crypto.randomUUID()
  const { rows } = await sql<{ connection_id: string; token_sealed: Buffer }>`
    insert into sandboxes (organization_id, integration_type, connection_id, token_sealed)
    values (${organizationId}, ${type}, ${id}, ${sealAccessToken(vault, id, newAccessToken())})
    on conflict (organization_id, integration_type) do update set integration_type = excluded.integration_type
    returning connection_id, token_sealed`.execute(trx)
  const { connection_id, token_sealed } = rows[0]!
  return { id: connection_id, accessToken: openAccessToken(vault, { id: connection_id, tokenSealed: token_sealed }) }
}
