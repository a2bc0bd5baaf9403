import { readdir, readFile } from 'node:fs/promises'
import { type Migration, Migrator, sql } from 'kysely'
import type { Resource } from '../resources/define.ts'
import type { Db } from './schema.ts'

/**
 * Brings the database up to this version: the numbered files of `migrations/`, each once, then one partition of
 * `records` per resource with the indexes its filters ask for. Safe when several processes start at once.
 */
export async function migrate(db: Db, resources: readonly Resource[]): Promise<void> {
  const migrator = new Migrator({ db, provider: { getMigrations } })
  const { error } = await migrator.migrateToLatest()
  if (error) throw error
  await db.transaction().execute(async (trx) => {
    await sql`select pg_advisory_xact_lock(${partitionLock})`.execute(trx)
    const { rows } = await sql<{ name: string }>`
      select indexrelid::regclass::text as name from pg_index where indrelid::regclass::text like 'records\_%'
      union all select inhrelid::regclass::text from pg_inherits where inhparent = 'records'::regclass`.execute(trx)
    const present = new Set(rows.map((row) => row.name))
    for (const [name, statement] of resources.flatMap(partitionStatements)) {
      if (!present.has(name)) await sql.raw(statement).execute(trx)
    }
  })
}

/** The `records` partition of a resource. */
export function partitionOf(resource: Resource): string {
  return `records_${resource.type}_${resource.name}`
}

const partitionLock = 7_266_031
const folder = new URL('./migrations/', import.meta.url)

async function getMigrations(): Promise<Record<string, Migration>> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.sql')).sort()
  const texts = await Promise.all(files.map((file) => readFile(new URL(file, folder), 'utf8')))
  return Object.fromEntries(
    files.map((file, i) => [
      file.replace(/\.sql$/, ''),
      { up: async (db: Db) => void (await sql.raw(texts[i]!).execute(db)) } as Migration,
    ]),
  )
}

function partitionStatements(resource: Resource): [name: string, statement: string][] {
  const table = partitionOf(resource)
  const index = (suffix: string, columns: string) =>
    [`${table}_${suffix}`, `create index ${table}_${suffix} on ${table} (connection_id, ${columns})`] as [
      string,
      string,
    ]
  return [
    // a record up to a page long is kept in its row as it is: unpacking a thousand of them costs more than reading them
    [
      table,
      `create table ${table} partition of records for values in ('${resource.type}/${resource.name}')
        with (toast_tuple_target = 8160)`,
    ],
    index('by_created', 'created_date, id'),
    index('by_updated', 'updated_date'),
    index('by_service_updated', 'service_updated_date'),
    ...[...resource.pathFields, ...Object.keys(resource.filters)].map((field) =>
      index(`by_${field}`, `(filters ->> '${field}') collate "C", created_date, id`),
    ),
  ]
}
