import { randomUUID } from 'node:crypto'
import type { Database } from '../../server/src/db/open.ts'
import type { ApiLog, NewEntry } from '../../server/src/logs/api-log.ts'
import { copyIn, copyRow } from '../../server/src/logs/copy-in.ts'
import { calls, connectionId, connectionsEach, integrations, organizationId, organizations } from './load.ts'

/**
 * Entries per second through the log's own door, once every combination of its entries has occurred, and of one raw
 * COPY of as many rows into the same partitions.
 */
export async function timeIngest(database: Database, open: () => ApiLog, entries: number, now: Date) {
  const raw = await timeCopy(database, newEntries(entries, now))
  const log = open()
  await appendAll(log, newEntries(entries, now))
  const batch = newEntries(entries, now)
  const start = performance.now()
  await appendAll(log, batch)
  const seconds = (performance.now() - start) / 1000
  await log.close()
  return { raw, log: entries / seconds }
}

/** The last of every 2,000 tells when they are written, so that no more wait than fit. */
async function appendAll(log: ApiLog, entries: readonly NewEntry[]) {
  let before: Promise<unknown> = Promise.resolve()
  for (let i = 0; i < entries.length; i += 2000) {
    const slice = entries.slice(i, i + 2000)
    const written = Promise.all(slice.map((entry, place) => log.append(entry, { durable: place === slice.length - 1 })))
    await before
    before = written
  }
  await before
}

async function timeCopy({ pool }: Database, entries: NewEntry[]): Promise<number> {
  const rows = entries.map((entry) =>
    copyRow([
      entry.organizationId,
      entry.requestTime.toISOString(),
      entry.requestId,
      entry.connection!.id,
      1,
      1,
      entry.durationMs,
      700,
      entry.pathParam,
      entry.queryParams,
      entry.requestBody,
      entry.integrationRequestBodies,
    ]),
  )
  const client = await pool.connect()
  const start = performance.now()
  await copyIn(
    client,
    `copy api_logs (organization_id, request_time, request_id, connection_id, integration, call, duration_ms, bytes,
      path_param, query_params, request_body, integration_request_bodies) from stdin`,
    rows.join(''),
  )
  const seconds = (performance.now() - start) / 1000
  client.release()
  return entries.length / seconds
}

const combinations = Array.from({ length: 20_000 }, () => {
  const organization = Math.floor(organizations * Math.random() ** 3)
  const connection = Math.floor(connectionsEach * Math.random() ** 2)
  const call = calls[Math.floor(Math.random() * calls.length)]!
  return { organization, connection, call }
})

/** As they arrive within the last hour. */
function newEntries(count: number, now: Date): NewEntry[] {
  return Array.from({ length: count }, (_, i) => {
    const { organization, connection, call } = combinations[i % combinations.length]!
    const [integrationType, integrationName] = integrations[connection % integrations.length]!
    const [, method, path, statusCode] = call
    return {
      requestId: randomUUID(),
      organizationId: organizationId(organization),
      connection: { id: connectionId(organization, connection), integrationType, integrationName },
      requestTime: new Date(now.getTime() - 3_600_000 * (1 - i / count)),
      method,
      path,
      pathParam: `order-${i}`,
      statusCode,
      error: null,
      errorOrigin: null,
      durationMs: 35,
      idempotencyKey: null,
      queryParams: '{"limit":"100","updated_from":"2026-05-01T00:00:00Z"}',
      requestBody: i % 8 ? null : JSON.stringify({ order_number: `A-${i}`, note: 'Leave at the door. '.repeat(20) }),
      integrationRequestBodies: `[{"url":"https://warehouse.example/api/v2/orders?page=${i % 50}","method":"GET","body":null}]`,
    }
  })
}
