import { sql } from 'kysely'
import type { Logger } from 'pino'
import type { Resource } from '../resources/define.ts'
import { startEmbeddedPostgres } from './embedded.ts'
import { migrate } from './migrate.ts'
import { type Database, openDatabase } from './open.ts'

export interface Storage extends Database {
  url: string
  /** What keeps the database from answering now, or null. */
  check(): Promise<string | null>
}

/** Opens the configured database, or starts the embedded one, and brings it up to this version. */
export async function openStorage(
  config: { databaseUrl: string | null; dataDir: string },
  log: Logger,
  resources: readonly Resource[],
): Promise<Storage> {
  const embedded = config.databaseUrl === null ? await startEmbeddedPostgres({ dataDir: config.dataDir, log }) : null
  const url = config.databaseUrl ?? embedded!.url
  const database = openDatabase(url, connections)
  const close = async () => {
    await database.close()
    await embedded?.stop()
  }
  try {
    await requireVersion(database)
    await migrate(database.db, resources)
  } catch (error) {
    await close()
    throw error
  }
  return { ...database, url, close, check: () => checkOf(database) }
}

const connections = 20
const oldestVersion = 15
const checkMs = 2000

async function requireVersion({ db }: Database) {
  const { rows } = await sql<{ version: number }>`
    select current_setting('server_version_num')::integer / 10000 as version`.execute(db)
  const { version } = rows[0]!
  if (version < oldestVersion) throw new Error(`PostgreSQL ${version} is too old; ${oldestVersion} or later is needed`)
}

async function checkOf({ db }: Database): Promise<string | null> {
  const late = new Promise<string>((resolve) => setTimeout(resolve, checkMs, 'The database does not answer').unref())
  const asked = sql`select 1`.execute(db).then(
    () => null,
    () => 'The database cannot be reached',
  )
  return Promise.race([asked, late])
}
