import { sql } from 'kysely'
import type { Db } from '../db/schema.ts'
import type { Bucket, Scope } from './api-log.ts'
import { noConnection } from './no-connection.ts'

/**
 * Counts entries by class of status in buckets of equal length. Hours that lie in one bucket come from the counted
 * hours, hours cut by a bucket's edge from the log; a single connection's entries are few and counted themselves.
 */
export async function histogramOf(db: Db, scope: Scope & { until: Date }, buckets: number): Promise<Bucket[]> {
  const from = scope.from.getTime()
  // an entry at the very end still belongs to the last bucket
  const end = scope.until.getTime() + 1
  const edges = Array.from({ length: buckets + 1 }, (_, i) => from + Math.floor(((end - from) * i) / buckets))
  const counts = edges.slice(1).map((): Record<string, number> => ({ '2xx': 0, '3xx': 0, '4xx': 0, '5xx': 0 }))
  for (const { bucket, status_class, entries } of await tallies(db, scope, edges)) {
    const name = `${status_class}xx`
    const count = counts[bucket - 1]!
    count[name] = (count[name] ?? 0) + Number(entries)
  }
  return counts.map((count, i) => ({
    start_time: new Date(edges[i]!).toISOString(),
    end_time: new Date(edges[i + 1]! - (i + 1 === buckets ? 1 : 0)).toISOString(),
    counts: count,
  }))
}

async function tallies(db: Db, scope: Scope, edges: readonly number[]): Promise<Tally[]> {
  // every organization has entries without a connection
  if (scope.connectionId === noConnection) return []
  if (scope.connectionId) return countConnection(db, scope, edges)
  return (await Promise.all([countHours(db, scope, edges), countCutHours(db, scope, edges)])).flat()
}

interface Tally {
  bucket: number
  status_class: number
  entries: string
}

const hourMs = 3_600_000

async function countHours(db: Db, scope: Scope, edges: readonly number[]): Promise<Tally[]> {
  const { rows } = await sql<Tally>`
    select width_bucket(hour, ${instants(edges)}) as bucket, status_class, sum(entries) as entries
    from api_log_hours
    where organization_id = ${scope.organizationId} ${ofIntegration(scope)}
      and hour >= ${new Date(edges[0]!)}::timestamptz and hour < ${new Date(edges.at(-1)!)}::timestamptz
      and width_bucket(hour, ${instants(edges)}) = width_bucket(hour + interval '59:59.999', ${instants(edges)})
    group by 1, 2`.execute(db)
  return rows
}

async function countCutHours(db: Db, scope: Scope, edges: readonly number[]): Promise<Tally[]> {
  const spans = joined(cutHours(edges), edges[0]!, edges.at(-1)!)
  const { rows } = await sql<Tally>`
    select bucket, status_code / 100 as status_class, sum(entries) as entries
    from (
      select width_bucket(request_time, ${instants(edges)}) as bucket, call, count(*) as entries
      from unnest(${spans.map((span) => new Date(span.from))}::timestamptz[], ${spans.map((span) => new Date(span.until))}::timestamptz[])
        as span (since, until)
      cross join lateral (
        select request_time, call from api_logs
        where organization_id = ${scope.organizationId} ${ofIntegration(scope)}
          and request_time >= since and request_time < until) as entry
      group by 1, 2) as counted
    join api_log_calls c on c.id = call group by 1, 2`.execute(db)
  return rows
}

async function countConnection(db: Db, scope: Scope, edges: readonly number[]): Promise<Tally[]> {
  const { rows } = await sql<Tally>`
    select bucket, status_code / 100 as status_class, sum(entries) as entries
    from (
      select width_bucket(request_time, ${instants(edges)}) as bucket, call, count(*) as entries
      from (
        select distinct call from api_log_series
        where organization_id = ${scope.organizationId} and connection_id = ${scope.connectionId} ${ofIntegration(scope)}
      ) as occurring
      cross join lateral (
        select request_time from api_logs
        where connection_id = ${scope.connectionId} and call = occurring.call
          and request_time >= ${new Date(edges[0]!)}::timestamptz and request_time < ${new Date(edges.at(-1)!)}::timestamptz
      ) as entry
      group by 1, 2) as counted
    join api_log_calls c on c.id = call group by 1, 2`.execute(db)
  return rows
}

const instants = (edges: readonly number[]) => sql`${edges.map((edge) => new Date(edge))}::timestamptz[]`

/** Narrows to the integrations of a scope, where it names any. */
export const ofIntegration = ({ integrationName, integrationType }: Scope) =>
  integrationName || integrationType
    ? sql`and integration = any(array(select id from api_log_integrations
        where integration_name = coalesce(${integrationName ?? null}, integration_name)
        and integration_type = coalesce(${integrationType ?? null}, integration_type)))`
    : sql``

/** The hours with an edge strictly inside. */
function cutHours(edges: readonly number[]): number[] {
  return [...new Set(edges.filter((edge) => edge % hourMs !== 0).map((edge) => edge - (edge % hourMs)))]
}

/** Neighbouring hours as one span, within the bounds. */
function joined(hours: readonly number[], from: number, until: number): { from: number; until: number }[] {
  const spans: { from: number; until: number }[] = []
  for (const hour of hours) {
    const last = spans.at(-1)
    if (last?.until === hour) last.until = Math.min(hour + hourMs, until)
    else spans.push({ from: Math.max(hour, from), until: Math.min(hour + hourMs, until) })
  }
  return spans
}
