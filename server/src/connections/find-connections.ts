import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../db/schema.ts'
import { errors } from '../errors.ts'
import type { ConnectionCaller } from '../http/authenticate.ts'
import type { Account } from '../integrations/define.ts'
import type { IntegrationType } from '../resources/define.ts'
import { uuidOrNull } from '../uuid.ts'
import { disabledFunctionsOf, type Policy } from './policy.ts'

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
  createdAt: string
  tokenSealed: Buffer
  credentialsSealed: Buffer
}

/** @throws ApiError 404, the same for another organization's connection and for none */
export async function getConnection(db: Db, organizationId: string, id: string): Promise<Connection> {
  const [found] = await select(db, sql`c.id = ${uuidOrNull(id)} and c.organization_id = ${organizationId}`, 1)
  if (!found) throw errors.notFound('Connection', id)
  return found
}

/** For the service itself, which acts for every organization. */
export async function findConnection(db: Db, id: string): Promise<Connection | null> {
  return (await select(db, sql`c.id = ${uuidOrNull(id)}`, 1))[0] ?? null
}

/** Oldest first. @param after `created_at` and id of the last one had */
export async function listConnections(
  db: Db,
  organizationId: string,
  after: readonly string[] | null,
  limit: number,
): Promise<Connection[]> {
  const rest = after ? sql`and (c.created_at, c.id) > (${after[0]}::timestamptz, ${after[1]}::uuid)` : sql``
  return select(db, sql`c.organization_id = ${organizationId} ${rest}`, limit)
}

/** The caller of a data request; one statement. */
export async function findConnectionCaller(db: Db, tokenHash: Buffer): Promise<ConnectionCaller | null> {
  const [found] = await select(db, sql`c.token_hash = ${tokenHash}`, 1)
  if (!found) return null
  const { id, organizationId, integrationType, integrationName } = found
  return { id, organizationId, integrationType, integrationName, disabledFunctions: disabledFunctionsOf(found) }
}

async function select(db: Db, where: RawBuilder<unknown>, limit: number): Promise<Connection[]> {
  const { rows } = await sql<Omit<Connection, 'createdAt'> & { createdAt: Date }>`
    select c.id, c.organization_id as "organizationId", c.integration_type as "integrationType",
      c.integration_name as "integrationName", c.host, c.customer_id as "customerId", c.me,
      c.webhooks_disabled as "webhooksDisabled", c.disabled_functions as "disabledFunctions",
      c.enabled_functions as "enabledFunctions", c.created_at as "createdAt",
      c.token_sealed as "tokenSealed", c.credentials_sealed as "credentialsSealed",
      o.historical_days as "historicalDays",
      array(select jsonb_array_elements_text(coalesce(o.disabled_functions -> c.integration_type, '[]'))) as "organizationDisabled"
    from connections c join organizations o on o.id = c.organization_id
    where ${where} order by c.created_at, c.id limit ${limit}`.execute(db)
  return rows.map((row) => ({ ...row, createdAt: row.createdAt.toISOString() }))
}
