import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../db/schema.ts'
import type { FoundEntries, SearchPage, SearchScope } from './api-log.ts'
import { noConnection } from './no-connection.ts'

/**
 * A filter names some of the combinations that occurred. Each combination is one index range in order of time; the
 * page is the merge of their heads, whatever the filter.
 */
export async function searchLog(db: Db, scope: SearchScope, page: SearchPage): Promise<FoundEntries> {
  const { limit, maxBytes } = page
  const { rows } = await sql<Row>`
    with keys as materialized (${newestKeys(scope, page)}), sized as (
      select entry.*, count(*) over () as found, row_number() over newest as place, sum(bytes) over newest as total
      from keys join api_logs entry using (request_time, request_id)
      where entry.organization_id = ${scope.organizationId}
      window newest as (order by request_time desc, request_id desc))
    select sized.*, request_method, request_path, status_code, integration_type, integration_name
    from sized join api_log_calls c on c.id = call join api_log_integrations i on i.id = integration
    where place <= ${limit} and (place = 1 or total <= ${maxBytes})
    order by place`.execute(db)
  const last = rows.at(-1)
  const more = last !== undefined && Number(last.found) > rows.length
  return {
    entries: rows.map(entryOf),
    next: more ? { requestTime: last.request_time.toISOString(), requestId: last.request_id } : null,
  }
}

function newestKeys(scope: SearchScope, { limit, after }: SearchPage): RawBuilder<unknown> {
  const filter = filterOf(scope)
  const until = after?.requestTime ?? scope.until
  const newest = (count: number) => sql`
    request_time >= ${scope.from}::timestamptz
    ${until === null ? sql`` : sql`and request_time <= ${until}::timestamptz`}
    ${after === null ? sql`` : sql`and (request_time, request_id) < (${after.requestTime}::timestamptz, ${after.requestId}::uuid)`}
    order by request_time desc, request_id desc limit ${count}`
  const entries = sql`from api_logs where organization_id = ${scope.organizationId}`
  if (!filter) return sql`select request_time, request_id ${entries} and ${newest(limit + 1)}`
  const heads = (condition: RawBuilder<unknown>) => sql`
    select head.* from (${filter.combinations} ${condition}) as combination cross join lateral (
      select request_time, request_id from api_logs where ${filter.match} and ${newest(limit + 1)}) as head
    order by request_time desc, request_id desc limit ${limit + 1}`
  if (!filter.wide) return heads(sql``)
  // hundreds of combinations: mostly a look at the newest entries of all finds enough
  return sql`
    with recent as materialized (
      select request_time, request_id
      from (select request_time, request_id, integration, call ${entries} and ${newest(recentPages * (limit + 1))}) as entry
      where ${filter.named} limit ${limit + 1})
    select * from recent where (select count(*) from recent) > ${limit}
    union all (${heads(sql`and (select count(*) from recent) <= ${limit}`)})`
}

const recentPages = 20

/** The combinations a filter names and how entries match one; null where there is no filter. */
function filterOf(
  scope: SearchScope,
): { combinations: RawBuilder<unknown>; named: RawBuilder<unknown>; match: RawBuilder<unknown>; wide: boolean } | null {
  const { organizationId, connectionId, integrationName, integrationType, method, path, statusCode } = scope
  const ofCall = given({ request_method: method, request_path: path, status_code: statusCode })
  const ofIntegration = given({ integration_name: integrationName, integration_type: integrationType })
  if (!connectionId && ofCall.length === 0 && ofIntegration.length === 0) return null
  // arrays are read once; a join would be planned without knowing how many combinations there are
  const named = sql.join(
    [
      ofCall.length > 0 ? sql`call = any(array(select id from api_log_calls where ${all(ofCall)}))` : sql`true`,
      ofIntegration.length > 0
        ? sql`integration = any(array(select id from api_log_integrations where ${all(ofIntegration)}))`
        : sql`true`,
    ],
    sql` and `,
  )
  const series = sql`from api_log_series
    where organization_id = ${organizationId} and connection_id = ${connectionId ?? noConnection} and ${named}`
  const call = sql`call = combination.call`
  if (connectionId) {
    return {
      combinations: sql`select distinct call ${series}`,
      named,
      match: sql`connection_id = ${connectionId} and ${call}`,
      wide: false,
    }
  }
  if (ofIntegration.length > 0) {
    return {
      combinations: sql`select distinct integration, call ${series}`,
      named,
      match: sql`organization_id = ${organizationId} and integration = combination.integration and ${call}`,
      wide: true,
    }
  }
  return {
    combinations: sql`select distinct call ${series}`,
    named,
    match: sql`organization_id = ${organizationId} and ${call}`,
    wide: false,
  }
}

const given = (filters: Record<string, string | number | undefined>) =>
  Object.entries(filters).flatMap(([column, value]) =>
    value === undefined ? [] : [sql`${sql.ref(column)} = ${value}`],
  )

const all = (conditions: RawBuilder<unknown>[]) => sql.join(conditions, sql` and `)

interface Row {
  found: string
  request_id: string
  connection_id: string
  request_time: Date
  request_method: string
  request_path: string
  status_code: number
  integration_type: string
  integration_name: string
  duration_ms: number
  idempotency_key: string | null
  path_param: string | null
  error: string | null
  error_origin: string | null
  query_params: string
  request_body: string | null
  integration_request_bodies: string
}

/** The three JSON texts go out as they are kept. */
function entryOf(row: Row): string {
  const fields = {
    request_id: row.request_id,
    idempotency_key: row.idempotency_key,
    connection_id: row.connection_id === noConnection ? null : row.connection_id,
    integration_name: row.integration_name || null,
    integration_type: row.integration_type || null,
    request_time: row.request_time.toISOString(),
    request_method: row.request_method,
    request_path: row.request_path,
    path_param: row.path_param,
    status_code: row.status_code,
    error: row.error,
    error_origin: row.error_origin,
    duration_ms: row.duration_ms,
  }
  return `${JSON.stringify(fields).slice(0, -1)},"query_params":${row.query_params},"request_body":${
    row.request_body ?? 'null'
  },"integration_request_bodies":${row.integration_request_bodies}}`
}
