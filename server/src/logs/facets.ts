import { sql } from 'kysely'
import type { Db } from '../db/schema.ts'
import type { Facets, Scope } from './api-log.ts'
import { ofIntegration } from './histogram.ts'
import { noConnection } from './no-connection.ts'
import { periodDays } from './periods.ts'

/**
 * What occurs in a period is known from its series. Only where a period lies partly outside of the scope's time, a
 * combination that no whole period shows is looked up in the log, by one probe of an index.
 */
export async function facetsOf(db: Db, scope: Scope): Promise<Facets> {
  const [calls, connections] = await Promise.all([callsWithin(db, scope), connectionsWithin(db, scope)])
  const distinct = <Value extends string | number>(values: Value[]) =>
    [...new Set(values)].filter((value) => value !== '')
  return {
    connection_id: connections,
    integration_name: distinct(calls.map((row) => row.integration_name)).sort(),
    request_path: distinct(calls.map((row) => row.request_path)).sort(),
    status_code: distinct(calls.map((row) => row.status_code)).sort((a, b) => a - b),
  }
}

async function callsWithin(db: Db, scope: Scope) {
  const entries = scope.connectionId
    ? sql`connection_id = ${scope.connectionId}`
    : sql`organization_id = ${scope.organizationId} and integration = tuple.integration`
  const { rows } = await sql<{ integration_name: string; request_path: string; status_code: number }>`
    with tuples as (
      select integration, call, bool_or(${wholePeriod(scope)}) as certain
      from api_log_series where ${occurringWithin(scope)} and connection_id = ${scope.connectionId ?? noConnection}
      group by integration, call)
    select distinct integration_name, request_path, status_code
    from tuples tuple join api_log_calls c on c.id = call join api_log_integrations i on i.id = integration
    where certain or (select true from api_logs where ${entries} and call = tuple.call and ${within(scope)} limit 1)`.execute(
    db,
  )
  return rows
}

async function connectionsWithin(db: Db, scope: Scope): Promise<string[]> {
  const { rows } = await sql<{ connection_id: string }>`
    with occurring as (
      select connection_id, bool_or(${wholePeriod(scope)}) as certain
      from api_log_connections where ${occurringWithin(scope)}
      ${scope.connectionId ? sql`and connection_id = ${scope.connectionId}` : sql``}
      group by connection_id)
    select connection_id from occurring
    where certain or (
      select true from api_log_series series cross join lateral (
        select from api_logs
        where connection_id = series.connection_id and call = series.call and ${within(scope)} limit 1) as entry
      where ${periodsWithin(scope)} and series.organization_id = ${scope.organizationId}
        and series.connection_id = occurring.connection_id
      limit 1)
    order by connection_id`.execute(db)
  return rows.map((row) => row.connection_id)
}

const periodLength = sql`${sql.lit(`${periodDays} days`)}::interval`

const periodsWithin = ({ from, until }: Scope) => sql`
  period > ${from}::timestamptz - ${periodLength} ${until ? sql`and period <= ${until}::timestamptz` : sql``}`

const occurringWithin = (scope: Scope) => sql`
  organization_id = ${scope.organizationId} and ${periodsWithin(scope)} ${ofIntegration(scope)}`

const wholePeriod = ({ from, until }: Scope) =>
  sql`period >= ${from}::timestamptz ${until ? sql`and period + ${periodLength} <= ${until}::timestamptz` : sql``}`

const within = ({ from, until }: Scope) =>
  sql`request_time >= ${from}::timestamptz ${until ? sql`and request_time <= ${until}::timestamptz` : sql``}`
