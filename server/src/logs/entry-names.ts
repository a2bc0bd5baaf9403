import type pg from 'pg'
import type { NewEntry } from './api-log.ts'

/** Ids of what entries repeat: the integration of an entry, and its call (method, path and status). */
export interface EntryNames {
  integration: number
  call: number
}

/** Finds the ids of a batch; new names are written, and known ones remembered. */
export function entryNames(pool: pg.Pool): (batch: readonly NewEntry[]) => Promise<EntryNames[]> {
  const integrations = dictionary(
    pool,
    `insert into api_log_integrations (integration_type, integration_name)
     select * from unnest($1::text[], $2::text[]) on conflict do nothing`,
    `select id from unnest($1::text[], $2::text[]) with ordinality as wanted (integration_type, integration_name, place)
     join api_log_integrations using (integration_type, integration_name) order by place`,
  )
  const calls = dictionary(
    pool,
    `insert into api_log_calls (request_method, request_path, status_code)
     select * from unnest($1::text[], $2::text[], $3::smallint[]) on conflict do nothing`,
    `select id from unnest($1::text[], $2::text[], $3::smallint[])
       with ordinality as wanted (request_method, request_path, status_code, place)
     join api_log_calls using (request_method, request_path, status_code) order by place`,
  )
  return async (batch) => {
    const integrationIds = await integrations(
      batch.map(({ connection }) => [connection?.integrationType ?? '', connection?.integrationName ?? '']),
    )
    const callIds = await calls(batch.map(({ method, path, statusCode }) => [method, path, statusCode]))
    return batch.map((_, i) => ({ integration: integrationIds[i]!, call: callIds[i]! }))
  }
}

type Name = readonly (string | number)[]

function dictionary(pool: pg.Pool, insert: string, select: string) {
  const known = new Map<string, number>()
  return async (names: readonly Name[]): Promise<number[]> => {
    const keys = names.map((name) => name.join('\n'))
    const unknown = new Map(names.map((name, i) => [keys[i]!, name] as const).filter(([key]) => !known.has(key)))
    if (unknown.size > 0) {
      const rows = [...unknown.values()]
      const columns = rows[0]!.map((_, column) => rows.map((row) => row[column]))
      await pool.query(insert, columns)
      const { rows: found } = await pool.query<{ id: number }>(select, columns)
      for (const [i, key] of [...unknown.keys()].entries()) known.set(key, found[i]!.id)
    }
    return keys.map((key) => known.get(key)!)
  }
}
