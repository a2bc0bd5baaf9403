import { rm } from 'node:fs/promises'
import type { TestContext } from 'node:test'
import { sql } from 'kysely'
import { pino } from 'pino'
import { createConnection } from '../connections/install-connection.ts'
import { connectionOpener } from '../connections/open.ts'
import { startEmbeddedPostgres } from '../db/embedded.ts'
import { migrate } from '../db/migrate.ts'
import { openDatabase } from '../db/open.ts'
import type { Db } from '../db/schema.ts'
import { temporaryFolder } from '../db/temporary-folder.fixture.ts'
import { eventually } from '../eventually.fixture.ts'
import { createHttp } from '../integrations/http-client.ts'
import { createRegistry } from '../integrations/registry.ts'
import { createOrganization } from '../organizations/organizations.ts'
import { resources } from '../resources/index.ts'
import { Vault } from '../secrets.ts'
import { startTestSource, type TestSource, testIntegration } from './source.fixture.ts'
import { type SyncWorker, type SyncWorkerOptions, startSyncWorker } from './worker.ts'

export const integration = testIntegration()

/** A real database and a real source, and everything that crawls one into the other. */
export interface Stage {
  db: Db
  source: TestSource
  vault: Vault
  organizationId: string
  /** Connects an account of the source; its schedules are due at once. */
  connect(account: string, options?: { host?: string; disabledFunctions?: string[] }): Promise<string>
  /** A worker that stops with its test, lest it take what is due in the next one. */
  startWorker(t: TestContext, options?: Partial<SyncWorkerOptions>): SyncWorker
  /** Crawls all that is due until nothing is. */
  crawlAll(): Promise<void>
  stop(): Promise<void>
}

export async function setStage(): Promise<Stage> {
  const dataDir = await temporaryFolder('sync')
  const postgres = await startEmbeddedPostgres({ dataDir })
  const { db, close } = openDatabase(postgres.url, 20)
  await migrate(db, resources)
  const source = await startTestSource()
  const vault = new Vault([Buffer.alloc(32, 7)])
  const registry = createRegistry([integration])
  const http = ({ signal }: { signal: AbortSignal }) =>
    createHttp({ allowPrivateNetwork: true, trustedOrigins: [], signal, retry: { attempts: 1 } })
  const open = connectionOpener({ db, vault, registry, http })
  const { organization } = await createOrganization(db, 'tests')
  const workers = new Set<SyncWorker>()
  function start(options: Partial<SyncWorkerOptions> = {}) {
    const worker = startSyncWorker({ db, log: pino({ level: 'silent' }), open, pollMs: 20, ...options })
    workers.add(worker)
    return worker
  }
  return {
    db,
    source,
    vault,
    organizationId: organization.id,
    connect: (account, { host = account, disabledFunctions = [] } = {}) =>
      createConnection(db, vault, {
        organizationId: organization.id,
        integration,
        host,
        credentials: { base_url: source.origin, account },
        me: null,
        customerId: null,
        disabledFunctions,
        enabledFunctions: [],
      }),
    startWorker(t, options) {
      const worker = start(options)
      t.after(() => worker.stop())
      return worker
    },
    async crawlAll() {
      const worker = start()
      try {
        await eventually(async () => {
          const due = sql<{ due: boolean }>`
            select exists (select from schedules where running or due_at <= now()) as due`
          return !(await due.execute(db)).rows[0]!.due
        })
      } finally {
        await worker.stop()
      }
    },
    async stop() {
      await Promise.all([...workers].map((worker) => worker.stop()))
      await source.stop()
      await close()
      await postgres.stop()
      await rm(dataDir, { recursive: true })
    },
  }
}

/** Makes the waiting time of every unpaused schedule pass. */
export async function passTime(db: Db): Promise<void> {
  await sql`update schedules set due_at = now() where due_at is not null and not running`.execute(db)
}

export async function scheduleOf(db: Db, connectionId: string, functionName: string) {
  return db
    .selectFrom('schedules')
    .selectAll()
    .where('connection_id', '=', connectionId)
    .where('function_name', '=', functionName)
    .executeTakeFirstOrThrow()
}

export interface StoredRecord {
  id: string
  body: Record<string, unknown>
  /** The transaction that wrote the row last. */
  xmin: string
  deleted: boolean
}

export async function recordsOf(db: Db, connectionId: string, resource: string): Promise<StoredRecord[]> {
  const { rows } = await sql<StoredRecord>`
    select id, body::jsonb as body, xmin::text as xmin, deleted_at is not null as deleted from records
    where connection_id = ${connectionId} and resource = ${resource} order by id`.execute(db)
  return rows
}

export async function eventsOf(db: Db, connectionId: string) {
  return db
    .selectFrom('webhook_events')
    .select(['event_type as type', 'resource_id as resourceId', 'payload'])
    .where('connection_id', '=', connectionId)
    .orderBy('created_at')
    .execute()
    .then((rows) => rows.map((row) => ({ ...row, payload: JSON.parse(row.payload) })))
}

/** `a0001` … */
export const ids = (count: number, prefix = 'a') =>
  Array.from({ length: count }, (_, i) => `${prefix}${String(i + 1).padStart(4, '0')}`)
