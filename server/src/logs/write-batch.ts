import { randomInt } from 'node:crypto'
import type pg from 'pg'
import type { NewEntry } from './api-log.ts'
import { copyIn, copyRow } from './copy-in.ts'
import { type EntryNames, entryNames } from './entry-names.ts'
import { noConnection } from './no-connection.ts'
import { createPartitions } from './partitions.ts'
import { periodNumber, periodOf } from './periods.ts'

export type WriteBatch = (batch: readonly NewEntry[], options: { durable: boolean }) => Promise<void>

/**
 * Makes the function that writes a batch in one transaction: the entries, the combinations that are new in their
 * period, and the counts of their hours. All of it is written or nothing. A batch that need not be durable does not wait
 * for the disk: a crash of the database, not of this process, may lose its last moments. New combinations do wait: they
 * are remembered and not written again, and without them later entries would not be found.
 */
export function batchWriter(pool: pg.Pool): WriteBatch {
  const namesOf = entryNames(pool)
  const known = new Set<string>()
  const writer = randomInt(32)

  return async (batch, { durable }) => {
    const names = await namesOf(batch)
    const series = new Map<string, Keyed>()
    const connections = new Map<string, Keyed>()
    const fresh = new Set<string>()
    for (const [i, entry] of batch.entries()) {
      const { integration, call } = names[i]!
      const connectionId = entry.connection?.id ?? noConnection
      const seen = `${entry.organizationId} ${connectionId} ${periodNumber(entry.requestTime)} ${integration} ${call}`
      if (known.has(seen) || fresh.has(seen)) continue
      fresh.add(seen)
      const period = periodOf(entry.requestTime).toISOString()
      put(series, entry.organizationId, noConnection, period, integration, call)
      if (connectionId === noConnection) continue
      put(series, entry.organizationId, connectionId, period, integration, call)
      put(connections, entry.organizationId, period, connectionId, integration)
    }
    const rows = batch.map((entry, i) => rowOf(entry, names[i]!)).join('')
    const client = await pool.connect()
    try {
      await write(client).catch(async (error) => {
        await client.query('rollback')
        if (error.code !== noPartition) throw error
        await createPartitions(
          client,
          batch.map(({ requestTime }) => requestTime),
        )
        await write(client)
      })
      client.release()
    } catch (error) {
      client.release(error as Error)
      throw error
    }
    if (known.size > rememberedSeries) known.clear()
    for (const seen of fresh) known.add(seen)

    async function write(client: pg.ClientBase) {
      await client.query(durable || series.size > 0 ? 'begin' : 'begin; set local synchronous_commit = off')
      await copyIn(client, copyEntries, rows)
      if (series.size > 0) await client.query(insertSeries, columnsOf(sorted(series)))
      if (connections.size > 0) await client.query(insertConnections, columnsOf(sorted(connections)))
      await client.query(addHours, columnsOf(hoursOf(batch, names, writer)))
      await client.query('commit')
    }
  }
}

const rememberedSeries = 500_000
const noPartition = '23514'

const copyEntries = `copy api_logs (organization_id, request_time, request_id, connection_id, integration, call,
  duration_ms, bytes, idempotency_key, path_param, error, error_origin, query_params, request_body,
  integration_request_bodies) from stdin`

const insertSeries = `insert into api_log_series (organization_id, connection_id, period, integration, call)
  select * from unnest($1::uuid[], $2::uuid[], $3::timestamptz[], $4::integer[], $5::integer[]) on conflict do nothing`

const insertConnections = `insert into api_log_connections (organization_id, period, connection_id, integration)
  select * from unnest($1::uuid[], $2::timestamptz[], $3::uuid[], $4::integer[]) on conflict do nothing`

const addHours = `insert into api_log_hours as counted (organization_id, hour, integration, status_class, writer, entries)
  select * from unnest($1::uuid[], $2::timestamptz[], $3::integer[], $4::smallint[], $5::smallint[], $6::integer[])
  on conflict (organization_id, hour, integration, status_class, writer)
  do update set entries = counted.entries + excluded.entries`

function rowOf(entry: NewEntry, { integration, call }: EntryNames): string {
  const { queryParams, requestBody, integrationRequestBodies, error, path, pathParam } = entry
  const bytes =
    400 +
    path.length +
    (pathParam?.length ?? 0) +
    (error?.length ?? 0) +
    Buffer.byteLength(queryParams) +
    (requestBody === null ? 4 : Buffer.byteLength(requestBody)) +
    Buffer.byteLength(integrationRequestBodies)
  return copyRow([
    entry.organizationId,
    entry.requestTime.toISOString(),
    entry.requestId,
    entry.connection?.id ?? noConnection,
    integration,
    call,
    entry.durationMs,
    bytes,
    entry.idempotencyKey,
    pathParam,
    error,
    entry.errorOrigin,
    queryParams,
    requestBody,
    integrationRequestBodies,
  ])
}

interface Keyed {
  key: string
  values: (string | number)[]
}

function put(rows: Map<string, Keyed>, ...values: (string | number)[]) {
  const key = values.join(' ')
  rows.set(key, { key, values })
}

function hoursOf(batch: readonly NewEntry[], names: readonly EntryNames[], writer: number): Keyed[] {
  const counts = new Map<string, Keyed>()
  for (const [i, { organizationId, requestTime, statusCode }] of batch.entries()) {
    const hour = Math.floor(requestTime.getTime() / hourMs)
    const { integration } = names[i]!
    const statusClass = Math.floor(statusCode / 100)
    const key = `${organizationId} ${hour} ${integration} ${statusClass}`
    const counted = counts.get(key)
    if (counted) (counted.values[5] as number)++
    else {
      const start = new Date(hour * hourMs).toISOString()
      counts.set(key, { key, values: [organizationId, start, integration, statusClass, writer, 1] })
    }
  }
  return sorted(counts)
}

const hourMs = 3_600_000

/** In one order everywhere, so that two writers never wait for each other in a circle. */
const sorted = (rows: ReadonlyMap<string, Keyed>) => [...rows.values()].sort((a, b) => (a.key < b.key ? -1 : 1))

const columnsOf = (rows: readonly Keyed[]) =>
  rows[0]!.values.map((_, column) => rows.map(({ values }) => values[column]))
