import { sql } from 'kysely'
import type { Db } from '../db/schema.ts'
import type { Integration } from '../integrations/define.ts'
import type { Registry } from '../integrations/registry.ts'
import { resolveErrorsOfOthers } from '../sync/connection-errors.ts'
import { alignSchedules } from '../sync/schedules.ts'
import { eventSource } from './event-source.ts'
import { type Connection, getConnection, listConnections } from './find-connections.ts'
import { inTransaction } from './in-transaction.ts'
import { availableEndpoints, disabledFunctionsOf, schedulableFunctions } from './policy.ts'

/**
 * Brings the schedules of every connection in line with the integrations of this version: new functions get one, those
 * that are gone, with their integration for instance, rest.
 */
export async function alignAll(db: Db, registry: Registry): Promise<void> {
  const organizations = await db.selectFrom('organizations').select('id').orderBy('id').execute()
  for (const { id } of organizations) await alignOrganization(db, registry, id)
}

/**
 * Brings the schedules of every connection of an organization in line, in the transaction that changes its policy for
 * instance. Meanwhile nobody else does.
 */
export async function alignOrganization(db: Db, registry: Registry, organizationId: string): Promise<void> {
  await inTransaction(db, async (trx) => {
    await sql`select from organizations where id = ${organizationId} for no key update`.execute(trx)
    let after: string[] | null = null
    while (true) {
      const connections: Connection[] = await listConnections(trx, organizationId, after, pageSize)
      await align(
        trx,
        connections.map((connection) => ({
          connection,
          integration: registry.find(connection.integrationType, connection.integrationName),
        })),
      )
      const last = connections.at(-1)
      if (connections.length < pageSize || !last) return
      after = [last.createdAt, last.id]
    }
  })
}

/**
 * Brings the schedules of one connection in line, at the end of the transaction that changes it.
 * @returns it as it is now
 */
export async function alignConnection(
  trx: Db,
  { organizationId, id }: Pick<Connection, 'organizationId' | 'id'>,
  integration: Integration,
): Promise<Connection> {
  await sql`select from organizations where id = ${organizationId} for share`.execute(trx)
  const connection = await getConnection(trx, organizationId, id)
  await align(trx, [{ connection, integration }])
  return connection
}

const pageSize = 500

interface Aligned {
  connection: Connection
  /** Undefined: there is none any more, and nothing to schedule. */
  integration: Integration | undefined
}

async function align(trx: Db, aligned: readonly Aligned[]) {
  const offers = aligned.map(({ connection, integration }) => {
    const disabled = disabledFunctionsOf(connection)
    return {
      id: connection.id,
      host: connection.host,
      source: eventSource(connection),
      functions: integration ? schedulableFunctions(integration, disabled) : [],
      endpoints: integration ? availableEndpoints(integration, disabled) : [],
    }
  })
  await alignSchedules(trx, offers)
  await resolveErrorsOfOthers(trx, offers)
}
