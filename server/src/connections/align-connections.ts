import type { Db } from '../db/schema.ts'
import type { Integration } from '../integrations/define.ts'
import type { Registry } from '../integrations/registry.ts'
import { alignSchedules } from '../sync/schedules.ts'
import { type Connection, listConnections } from './find-connections.ts'
import { disabledFunctionsOf, schedulableFunctions } from './policy.ts'

/**
 * Brings the schedules of every connection in line with the integrations of this version: new functions get one, those
 * that are gone, with their integration for instance, rest.
 */
export async function alignAll(db: Db, registry: Registry): Promise<void> {
  const organizations = await db.selectFrom('organizations').select('id').orderBy('id').execute()
  for (const { id } of organizations) await alignOrganization(db, registry, id)
}

/** Brings the schedules of every connection of an organization in line, after its policy changed for instance. */
export async function alignOrganization(db: Db, registry: Registry, organizationId: string): Promise<void> {
  let after: string[] | null = null
  while (true) {
    const connections: Connection[] = await listConnections(db, organizationId, after, pageSize)
    await alignSchedules(
      db,
      connections.map((connection) =>
        scheduled(connection, registry.find(connection.integrationType, connection.integrationName)),
      ),
    )
    const last = connections.at(-1)
    if (connections.length < pageSize || !last) return
    after = [last.createdAt, last.id]
  }
}

/** Brings the schedules of one connection in line, in the transaction that changes it. */
export async function alignConnection(trx: Db, connection: Connection, integration: Integration): Promise<void> {
  await alignSchedules(trx, [scheduled(connection, integration)])
}

const pageSize = 500

/** @param integration undefined: there is none any more, and nothing to schedule */
const scheduled = (connection: Connection, integration: Integration | undefined) => ({
  id: connection.id,
  host: connection.host,
  functions: integration ? schedulableFunctions(integration, disabledFunctionsOf(connection)) : [],
})
