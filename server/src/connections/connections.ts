import { sql } from 'kysely'
import type { SealedColumn } from '../db/reseal.ts'
import type { Db } from '../db/schema.ts'
import { errors } from '../errors.ts'
import type { ConnectionCaller } from '../http/authenticate.ts'
import type { Account, Credentials, Integration } from '../integrations/define.ts'
import type { Registry } from '../integrations/registry.ts'
import type { IntegrationType } from '../resources/define.ts'
import { hashSecret, newAccessToken, type Vault } from '../secrets.ts'
import { resolveAllErrors } from '../sync/connection-errors.ts'
import { alignSchedules, makeDue } from '../sync/schedules.ts'
import { type EventSource, emit } from '../webhooks/emit.ts'
import { disabledFunctionsOf, type Policy, schedulableFunctions } from './policy.ts'

/** A connection as other rooms need it; secrets stay sealed. */
export interface Connection extends Policy {
  id: string
  organizationId: string
  integrationType: IntegrationType
  integrationName: string
  /** Host of the system behind; crawls are bounded per host. */
  host: string
  customerId: string | null
  me: Account | null
  webhooksDisabled: boolean
  historicalDays: number
  timesUsed: number
  lastUsed: string | null
  createdAt: string
  tokenSealed: Buffer
  credentialsSealed: Buffer
}

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
        token_sealed: vault.seal(accessToken, tokenPurpose(id)),
        credentials_sealed: vault.seal(JSON.stringify(wanted.credentials), credentialsPurpose(id)),
        me: wanted.me && JSON.stringify(wanted.me),
        disabled_functions: [...wanted.disabledFunctions],
        enabled_functions: [...wanted.enabledFunctions],
      })
      .execute()
    const connection = await getConnection(trx, wanted.organizationId, id)
    await alignConnection(trx, connection, wanted.integration)
    await emit(trx, eventSource(connection), [
      { type: 'connection.created', resourceId: null, data: { created_date: connection.createdAt } },
    ])
    return id
  })
}

/** Puts new credentials in place of the old; id, token, data and checkpoints stay, every schedule is due now. */
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
        credentials_sealed: vault.seal(JSON.stringify(installed.credentials), credentialsPurpose(connection.id)),
        me: installed.me && JSON.stringify(installed.me),
        disabled_functions: union(connection.disabledFunctions, installed.disabledFunctions),
        enabled_functions: union(connection.enabledFunctions, installed.enabledFunctions),
      })
      .where('id', '=', connection.id)
      .execute()
    const updated = await getConnection(trx, connection.organizationId, connection.id)
    await alignConnection(trx, updated, installed.integration)
    await resolveAllErrors(trx, eventSource(updated))
    await makeDue(trx, connection.id)
  })
}

/** @throws ApiError 404, the same for another organization's connection and for none */
export async function getConnection(db: Db, organizationId: string, id: string): Promise<Connection> {
  const found = await findConnections(db, sql`c.id::text = ${id} and c.organization_id = ${organizationId}`, 1)
  if (!found[0]) throw errors.notFound('Connection', id)
  return found[0]
}

/** For the service itself, which acts for every organization. */
export async function findConnection(db: Db, id: string): Promise<Connection | null> {
  return (await findConnections(db, sql`c.id = ${id}`, 1))[0] ?? null
}

/** Oldest first. @param after `created_at` and id of the last one had */
export async function listConnections(
  db: Db,
  organizationId: string,
  after: readonly string[] | null,
  limit: number,
): Promise<Connection[]> {
  const rest = after ? sql`and (c.created_at, c.id) > (${after[0]}::timestamptz, ${after[1]}::uuid)` : sql``
  return findConnections(db, sql`c.organization_id = ${organizationId} ${rest}`, limit)
}

/** The caller of a data request; one statement. */
export async function findConnectionCaller(db: Db, tokenHash: Buffer): Promise<ConnectionCaller | null> {
  const [found] = await findConnections(db, sql`c.token_hash = ${tokenHash}`, 1)
  if (!found) return null
  const { id, organizationId, integrationType, integrationName } = found
  return { id, organizationId, integrationType, integrationName, disabledFunctions: disabledFunctionsOf(found) }
}

export async function updateConnection(
  db: Db,
  id: string,
  change: { customer_id?: string | null; webhooks_disabled?: boolean },
): Promise<void> {
  await db.updateTable('connections').set(change).where('id', '=', id).execute()
}

/** Removes a connection; its token is refused from now on. Its records are removed by a job. */
export async function deleteConnection(db: Db, connection: Connection): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await emit(trx, eventSource(connection), [
      { type: 'connection.deleted', resourceId: null, data: { deleted_date: new Date().toISOString() } },
    ])
    await trx.deleteFrom('connections').where('id', '=', connection.id).execute()
  })
}

/** Switches functions of one connection off and on. */
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
        disabled_functions: [...(functions.disabled ?? connection.disabledFunctions)],
        enabled_functions: [...(functions.enabled ?? connection.enabledFunctions)],
      })
      .where('id', '=', connection.id)
      .execute()
    await alignConnection(trx, await getConnection(trx, connection.organizationId, connection.id), integration)
  })
}

/** Brings the schedules of every connection of an organization in line after its policy changed. */
export async function alignOrganization(db: Db, registry: Registry, organizationId: string): Promise<void> {
  let after: string[] | null = null
  while (true) {
    const connections: Connection[] = await listConnections(db, organizationId, after, 500)
    for (const connection of connections) {
      const integration = registry.find(connection.integrationType, connection.integrationName)
      if (integration) await alignConnection(db, connection, integration)
    }
    const last = connections.at(-1)
    if (connections.length < 500 || !last) return
    after = [last.createdAt, last.id]
  }
}

export function openAccessToken(vault: Vault, connection: Connection): string {
  return vault.open(connection.tokenSealed, tokenPurpose(connection.id))
}

export function openCredentials(vault: Vault, connection: Connection): Credentials {
  return JSON.parse(vault.open(connection.credentialsSealed, credentialsPurpose(connection.id)))
}

export const eventSource = (connection: Connection): EventSource => ({
  organizationId: connection.organizationId,
  connectionId: connection.id,
  customerId: connection.customerId,
  integrationName: connection.integrationName,
  integrationType: connection.integrationType,
  webhooksDisabled: connection.webhooksDisabled,
})

/** What is sealed of connections. */
export const sealedColumns: readonly SealedColumn[] = [
  { table: 'connections', id: 'id', column: 'token_sealed', purpose: (id) => tokenPurpose(id) },
  { table: 'connections', id: 'id', column: 'credentials_sealed', purpose: (id) => credentialsPurpose(id) },
  { table: 'sandboxes', id: 'connection_id', column: 'token_sealed', purpose: (id) => tokenPurpose(id) },
]

export const tokenPurpose = (connectionId: string) => `access token of ${connectionId}`
const credentialsPurpose = (connectionId: string) => `credentials of ${connectionId}`

async function alignConnection(trx: Db, connection: Connection, integration: Integration) {
  await alignSchedules(trx, connection, schedulableFunctions(integration, disabledFunctionsOf(connection)))
}

/** The caller's transaction, or one of its own. */
const inTransaction = <Result>(db: Db, work: (trx: Db) => Promise<Result>): Promise<Result> =>
  db.isTransaction ? work(db) : db.transaction().execute(work)

const union = (first: readonly string[], second: readonly string[]) => [...new Set([...first, ...second])]

async function findConnections(db: Db, where: ReturnType<typeof sql>, limit: number): Promise<Connection[]> {
  const { rows } = await sql<Connection & { lastUsed: Date | null; createdAt: Date; timesUsed: string }>`
    select c.id, c.organization_id as "organizationId", c.integration_type as "integrationType",
      c.integration_name as "integrationName", c.host, c.customer_id as "customerId", c.me,
      c.webhooks_disabled as "webhooksDisabled", c.disabled_functions as "disabledFunctions",
      c.enabled_functions as "enabledFunctions", c.times_used as "timesUsed", c.last_used as "lastUsed",
      c.created_at as "createdAt", c.token_sealed as "tokenSealed", c.credentials_sealed as "credentialsSealed",
      o.historical_days as "historicalDays",
      array(select jsonb_array_elements_text(coalesce(o.disabled_functions -> c.integration_type, '[]'))) as "organizationDisabled"
    from connections c join organizations o on o.id = c.organization_id
    where ${where} order by c.created_at, c.id limit ${limit}`.execute(db)
  return rows.map((row) => ({
    ...row,
    timesUsed: Number(row.timesUsed),
    lastUsed: row.lastUsed?.toISOString() ?? null,
    createdAt: row.createdAt.toISOString(),
  })) as Connection[]
}
