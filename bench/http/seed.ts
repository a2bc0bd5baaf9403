import { sql } from 'kysely'
import { createConnection } from '../../server/src/connections/install-connection.ts'
import { saveRecords } from '../../server/src/data/save-records.ts'
import { partitionOf } from '../../server/src/db/migrate.ts'
import type { Db } from '../../server/src/db/schema.ts'
import { sandbox } from '../../server/src/integrations/sandbox/index.ts'
import { createOrganization } from '../../server/src/organizations/organizations.ts'
import { orders } from '../../server/src/resources/wms/orders.ts'
import { newAccessToken, Vault } from '../../server/src/secrets.ts'
import { recordReader } from '../../server/src/sync/record-reader.ts'
import { orderOf, ordersAsTheyAre } from '../orders.ts'

export const encryptionKey = Buffer.alloc(32, 1)
const connections = 1000
const orderCount = 20_000

/** One organization with 1,000 connections, the first of them with 20,000 orders. */
export async function seed(db: Db): Promise<{ apiKey: string; accessToken: string; connectionId: string }> {
  const vault = new Vault([encryptionKey])
  const { organization, api_key } = await createOrganization(db, 'bench')
  const integration = sandbox('http://127.0.0.1:9')
  const identities = Array.from({ length: connections }, () => ({
    id: crypto.randomUUID(),
    accessToken: newAccessToken(),
  }))
  for (const identity of identities) {
    await createConnection(db, vault, {
      identity,
      organizationId: organization.id,
      integration,
      host: 'sandbox',
      credentials: { warehouse_key: 'none' },
      me: { account_id: 'A-1', account_name: 'Bench' },
      customerId: 'customer',
      disabledFunctions: [],
      enabledFunctions: [],
    })
  }
  const { id, accessToken } = identities[0]!
  await sql`update schedules set first_synced_at = now(), last_crawl_start = now(), last_crawl_end = now()`.execute(db)
  const toRows = recordReader(ordersAsTheyAre)
  for (let i = 0; i < orderCount; i += 1000) {
    const { rows } = toRows(Array.from({ length: 1000 }, (_, n) => orderOf(i + n)))
    const now = new Date()
    await saveRecords(db, orders, id, rows, now, now)
  }
  await sql.raw(`vacuum analyze connections, schedules, ${partitionOf(orders)}`).execute(db)
  return { apiKey: api_key, accessToken, connectionId: id }
}
