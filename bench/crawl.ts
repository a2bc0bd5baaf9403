import { parseArgs } from 'node:util'
import { sql } from 'kysely'
import { pino } from 'pino'
import { rowsOf } from '../server/src/data/record-row.ts'
import { partitionOf } from '../server/src/db/migrate.ts'
import type { Db } from '../server/src/db/schema.ts'
import { defineIntegration, type Integration, read } from '../server/src/integrations/define.ts'
import { createOrganization } from '../server/src/organizations/organizations.ts'
import { completer } from '../server/src/resources/complete.ts'
import type { RecordOf, SourceRecord } from '../server/src/resources/define.ts'
import { orders } from '../server/src/resources/wms/orders.ts'
import { crawl } from '../server/src/sync/crawl.ts'
import { claimDue } from '../server/src/sync/leases.ts'
import type { OpenConnection } from '../server/src/sync/open-connection.ts'
import { alignSchedules } from '../server/src/sync/schedules.ts'
import { startDatabase } from './database.ts'
import { orderOf } from './orders.ts'
import { tell } from './tell.ts'

const pageSize = 1000
const count = 30_000
/** Records of the source are made up front in this many, so that making them is not what is measured. */
const distinct = 30_000

/**
 * Crawling through claim, read, save and checkpoint, beside a raw insert of the same rows.
 * @param most records of the crawl whose memory is watched
 */
export async function benchCrawl(most = 1_000_000): Promise<void> {
  const database = await startDatabase()
  const { db } = database
  try {
    const { organization } = await createOrganization(db, 'bench')
    const connect = () => connectSource(db, organization.id)
    const before = await rawInsert(db)

    const warm = await connect()
    await warm.crawl(5000, 0)
    const { crawl } = await connect()
    const created = count / (await crawl(count, 0))
    const unchanged = count / (await crawl(count, 0))
    const changed = count / (await crawl(count, 1))
    const raw = Math.max(before, await rawInsert(db))
    tell('crawl: raw unnest insert, records/s', raw)
    tell('crawl: new, records/s', created)
    tell('crawl: new, ratio to raw', created / raw, { atLeast: 0.5 })
    tell('crawl: unchanged, records/s', unchanged)
    tell('crawl: unchanged, ratio to raw', unchanged / raw, { atLeast: 2 })
    tell('crawl: changed, records/s (with their events)', changed)
    tell('crawl: changed, ratio to raw', changed / raw, { atLeast: 0.4 })

    const long = await connect()
    const memory: number[] = []
    await long.crawl(most, 0, (done) => {
      if (done % 100_000 === 0) memory.push(process.memoryUsage().rss / 2 ** 20)
    })
    tell(`crawl: memory after ${most / 10} records, MB`, memory[Math.floor(memory.length / 10)] ?? memory[0]!)
    tell(`crawl: memory after ${most} records, MB`, memory.at(-1)!)
    tell('crawl: memory at the end to a tenth of the way', memory.at(-1)! / memory[Math.floor(memory.length / 10)]!, {
      atMost: 1.3,
    })
  } finally {
    await database.stop()
  }
}

async function connectSource(db: Db, organizationId: string) {
  const { rows } = await sql<{ id: string }>`
    insert into connections (organization_id, integration_type, integration_name, host, token_hash, token_sealed, credentials_sealed)
    values (${organizationId}, 'wms', 'bench', 'bench', ${Buffer.from(crypto.randomUUID())}, '', '') returning id`.execute(
    db,
  )
  const id = rows[0]!.id
  const made = Array.from({ length: distinct }, () => undefined as SourceRecord<typeof orders> | undefined)
  return {
    /** @returns seconds */
    async crawl(total: number, version: number, onPage: (done: number) => void = () => {}): Promise<number> {
      for (let i = 0; i < Math.min(total, distinct); i++) made[i] = orderOf(i, version)
      await alignSchedules(db, [
        { id, host: 'bench', functions: [{ functionName: 'get_orders', everySeconds: 3600, enabled: true }] },
      ])
      await sql`update schedules set due_at = now() where connection_id = ${id}`.execute(db)
      const shares = { connections: new Map(), hosts: new Map(), failing: 0 }
      const [lease] = await claimDue(db, 1, shares, { perConnection: 1, perHost: 1, failing: 1 }, 30)
      const integration = sourceOf(
        total,
        (i) => (i < distinct ? made[i]! : { ...made[i % distinct]!, id: `ORD-${i}` }),
        onPage,
      )
      const connection: OpenConnection = {
        source: {
          organizationId,
          connectionId: id,
          customerId: null,
          integrationName: 'bench',
          integrationType: 'wms',
          webhooksDisabled: false,
        },
        integration,
        historicalDays: 30,
        endpoints: ['GET /wms/orders'],
        connect: async () => null,
      }
      const parts = { db, log: pino({ level: 'warn' }), now: () => new Date(), sliceMs: 3_600_000 }
      const startedAt = performance.now()
      await crawl(parts, lease!, connection, new AbortController().signal)
      return (performance.now() - startedAt) / 1000
    },
  }
}

/** A system whose pages are made on the fly. */
function sourceOf(
  total: number,
  orderAt: (i: number) => SourceRecord<typeof orders>,
  onPage: (done: number) => void,
): Integration {
  return defineIntegration({
    name: 'bench',
    type: 'wms',
    displayName: 'Bench',
    description: '',
    install: { method: 'input', fields: {} },
    connect: () => null,
    account: async () => null,
    actions: {
      get_orders: read(
        orders,
        async (_client: null, { cursor }) => {
          const from = (cursor as number | null) ?? 0
          onPage(from)
          const items = Array.from({ length: Math.min(pageSize, total - from) }, (_, n) => orderAt(from + n))
          return { items, next: from + pageSize < total ? from + pageSize : null }
        },
        (order: SourceRecord<typeof orders>) => order,
      ),
    },
  })
}

/** Rows per second of `insert … select from unnest` into a copy of the partition with all its indexes. */
async function rawInsert(db: Db): Promise<number> {
  const table = 'records_raw'
  await sql.raw(`create table ${table} (like ${partitionOf(orders)} including all)`).execute(db)
  const complete = completer(orders)
  const toRow = rowsOf(orders)
  const connectionId = crypto.randomUUID()
  const rows = Array.from({ length: count }, (_, i) => toRow(complete(orderOf(i)) as RecordOf<typeof orders>))
  const at = new Date().toISOString()
  const pages = Array.from({ length: count / pageSize }, (_, n) => rows.slice(n * pageSize, (n + 1) * pageSize))
  const insert = (page: typeof rows) =>
    sql`
    insert into ${sql.table(table)} (resource, connection_id, id, created_date, updated_date, service_created_date,
      service_updated_date, hash, filters, body)
    select 'wms/orders', ${connectionId}, id, created_date, updated_date, ${at}, ${at}, hash, filters, body
    from unnest(
      ${page.map((row) => row.id)}::text[],
      ${page.map((row) => row.createdDate)}::timestamptz[],
      ${page.map((row) => row.updatedDate)}::timestamptz[],
      ${page.map((row) => row.hash)}::bytea[],
      ${page.map((row) => JSON.stringify(row.filters))}::jsonb[],
      ${page.map((row) => row.source)}::json[]
    ) as n (id, created_date, updated_date, hash, filters, body)`.execute(db)
  const startedAt = performance.now()
  for (const page of pages) await insert(page)
  const seconds = (performance.now() - startedAt) / 1000
  await sql.raw(`drop table ${table}`).execute(db)
  return count / seconds
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { records: { type: 'string' } } })
  await benchCrawl(values.records ? Number(values.records) : undefined)
}
