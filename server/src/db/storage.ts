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
    // a server that hangs does not keep us from ending
    await Promise.race([database.close(), after(checkMs)])
    await embedded?.stop()
  }
  try {
    requireVersion(await versionOf(database))
    await migrate(database.db, resources)
  } catch (error) {
    await close()
    throw error
  }
  return { ...database, url, close, check: () => checkOf(database) }
}

/** @throws Error when this major version of PostgreSQL is not served */
export function requireVersion(version: number): void {
  if (version < oldestVersion) throw new Error(`PostgreSQL ${version} is too old; ${oldestVersion} or later is needed`)
}

const connections = 20
const oldestVersion = 15
const firstAnswerMs = 10_000
const checkMs = 2000

/** The first question to the database: what is wrong with its address shows here. */
async function versionOf({ db }: Database): Promise<number> {
  const asked = sql<{ version: number }>`
    select current_setting('server_version_num')::integer / 10000 as version`
    .execute(db)
    .catch((error) => {
      throw new Error(`The database cannot be reached: ${reasonOf(error)}`, { cause: error })
    })
  const answer = await Promise.race([asked, after(firstAnswerMs)])
  asked.catch(() => {})
  if (!answer) throw new Error(`The database cannot be reached: no answer within ${firstAnswerMs / 1000} s`)
  return answer.rows[0]!.version
}

/** A name with several addresses fails with one error for each, and an empty message. */
function reasonOf(error: Error): string {
  return error instanceof AggregateError ? error.errors.map(({ message }) => message).join(', ') : error.message
}

async function checkOf({ db }: Database): Promise<string | null> {
  const asked = sql`select 1`.execute(db).then(
    () => null,
    () => 'The database cannot be reached',
  )
  return Promise.race([asked, after(checkMs).then(() => 'The database does not answer')])
}

const after = (ms: number) => new Promise<null>((resolve) => setTimeout(resolve, ms, null).unref())
