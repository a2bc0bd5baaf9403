import { createHash } from 'node:crypto'
import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { jsonOid } from './json-array.ts'
import type { Db, Schema } from './schema.ts'

export interface Database {
  db: Db
  pool: pg.Pool
  close(): Promise<void>
}

/**
 * Opens a pool on a PostgreSQL (15 or later).
 * @param url `postgres://…`
 * @param connections at most this many at a time
 */
export function openDatabase(url: string, connections: number): Database {
  const pool = new pg.Pool({
    connectionString: url,
    max: connections,
    Client: PreparingClient,
    types: { getTypeParser },
    application_name: 'crossdock',
    // a process that stops in the middle of a transaction does not keep its locks
    idle_in_transaction_session_timeout: 30_000,
  } as pg.PoolConfig)
  // an idle client that loses its server is replaced by the pool; the next query tells
  pool.on('error', () => {})
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) })
  return { db, pool, close: () => db.destroy() }
}

/** Names each parametrized statement, so that PostgreSQL parses and plans it once per connection. */
class PreparingClient extends pg.Client {
  readonly #names = new Map<string, string>()

  constructor(config?: pg.ClientConfig) {
    super(config)
    // a client in use that loses its server rejects its queries; the event must not end the process
    this.on('error', () => {})
  }

  // biome-ignore lint/suspicious/noExplicitAny: pg declares twelve overloads of query
  override query(text: any, values?: any, callback?: any): any {
    if (typeof text !== 'string' || !Array.isArray(values) || values.length === 0)
      return super.query(text, values, callback)
    const name = this.#nameOf(text)
    return super.query(name ? { name, text, values } : { text, values }, callback)
  }

  #nameOf(text: string): string | undefined {
    const known = this.#names.get(text)
    if (known || this.#names.size >= preparedLimit) return known
    const name = createHash('sha1').update(text).digest('base64url')
    this.#names.set(text, name)
    return name
  }
}

const preparedLimit = 500

/** `json` columns hold answers that are sent as they are kept: they stay text. */
function getTypeParser(oid: number, format?: 'text' | 'binary') {
  if (oid === jsonOid) return (value: string) => value
  return pg.types.getTypeParser(oid, format as 'text')
}
