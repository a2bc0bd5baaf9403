import { type RawBuilder, sql } from 'kysely'
import { instant } from '../db/instant.ts'
import type { Db } from '../db/schema.ts'
import type { IntegrationError, IntegrationFault } from '../integrations/fault.ts'
import { type EventSource, emit } from '../webhooks/emit.ts'
import { previousAttributes } from '../webhooks/record-events.ts'

export interface AffectedEndpoint {
  /** `GET /wms/orders` */
  endpoint: string
  preventing_sync: boolean
}

export interface ConnectionError {
  error_message: string
  affected_endpoints: AffectedEndpoint[]
  first_seen: string
  last_seen: string
}

/**
 * Records a failure of a connection: one open error per cause. Refused credentials stop every endpoint and are one error;
 * anything else is an error of its endpoint, and only a missing permission lets the others be.
 * @param endpoint the endpoint that failed
 * @param allEndpoints every endpoint of the connection
 */
export async function reportError(
  trx: Db,
  source: EventSource,
  failure: Pick<IntegrationError, 'fault' | 'message' | 'url'>,
  endpoint: string,
  allEndpoints: readonly string[],
): Promise<void> {
  const blocking = failure.fault === 'credentials'
  const affected = (blocking ? allEndpoints : [endpoint]).map((each) => ({
    endpoint: each,
    preventing_sync: failure.fault !== 'permission',
  }))
  const cause = causeOf(failure.fault, endpoint)
  // a host that was down and now forbids is up again, and the other way round
  if (!blocking) await removeErrors(trx, source, among(causesOf(endpoint).filter((other) => other !== cause)))
  const { rows } = await sql<ErrorRow & { created: boolean; old: ErrorRow | null }>`
    with old as (
      select * from connection_errors where connection_id = ${source.connectionId} and cause = ${cause}
    )
    insert into connection_errors (connection_id, cause, error_message, failed_url, affected_endpoints)
    values (${source.connectionId}, ${cause}, ${failure.message}, ${failure.url ?? ''}, ${JSON.stringify(affected)})
    on conflict (connection_id, cause) do update set
      error_message = excluded.error_message, failed_url = excluded.failed_url,
      affected_endpoints = excluded.affected_endpoints, last_seen = now()
    returning *, (xmax = 0) as created, (select to_jsonb(old) from old) as old`.execute(trx)
  const { created, old, ...row } = rows[0]!
  if (created) await emit(trx, source, [errorEvent('created', source, row)])
  else if (old && tells(old) !== tells(row)) await emit(trx, source, [changeEvent(source, old, row)])
}

/**
 * An endpoint that answers resolves refused credentials and, unless it answered only in part, its own errors.
 */
export async function resolveErrors(trx: Db, source: EventSource, endpoint: string, whole: boolean): Promise<void> {
  await removeErrors(trx, source, among(whole ? [credentialsCause, ...causesOf(endpoint)] : [credentialsCause]))
}

/** New credentials resolve every error; the crawls that follow tell what is still wrong. */
export async function resolveAllErrors(trx: Db, source: EventSource): Promise<void> {
  await removeErrors(trx, source, sql<boolean>`true`)
}

/** Endpoints that a connection does not offer any more have no errors. @param endpoints those it offers */
export async function resolveErrorsOfOthers(
  trx: Db,
  connections: readonly { source: EventSource; endpoints: readonly string[] }[],
): Promise<void> {
  const { rows } = await sql<{ id: string }>`
    select distinct connection_id as id from connection_errors
    where connection_id = any(${connections.map(({ source }) => source.connectionId)}::uuid[])`.execute(trx)
  const failing = new Set(rows.map(({ id }) => id))
  for (const { source, endpoints } of connections) {
    if (!failing.has(source.connectionId)) continue
    await removeErrors(
      trx,
      source,
      sql<boolean>`not exists (
        select from jsonb_array_elements(affected_endpoints) as affected
        where affected ->> 'endpoint' = any(${endpoints}::text[]))`,
    )
  }
}

/** SQL for the open errors of a connection, JSON text; `endpoints` is what stands for the affected ones. */
const errorsAs = (connectionId: RawBuilder<unknown>, endpoints: RawBuilder<unknown>) => sql<string>`(
  select coalesce(array_to_json(array_agg(error)), '[]')::text from (
    select error_message, ${endpoints} as affected_endpoints,
      ${instant(sql`first_seen`)} as first_seen, ${instant(sql`last_seen`)} as last_seen
    from connection_errors as open where connection_id = ${connectionId} order by open.first_seen, cause
  ) as error)`

/** As the detail of a connection shows them: what each endpoint is prevented from. */
export const errorsOf = (connectionId: RawBuilder<unknown>) => errorsAs(connectionId, sql`affected_endpoints`)

/** As the list of connections shows them: endpoints by name. */
export const errorSummariesOf = (connectionId: RawBuilder<unknown>) =>
  errorsAs(connectionId, sql`jsonb_path_query_array(affected_endpoints, '$[*].endpoint')`)

interface ErrorRow {
  connection_id: string
  error_message: string
  failed_url: string
  affected_endpoints: AffectedEndpoint[]
  first_seen: Date
  last_seen: Date
}

const credentialsCause = 'credentials'
const permissionCause = (endpoint: string) => `permission: ${endpoint}`
const outageCause = (endpoint: string) => `outage: ${endpoint}`
const causesOf = (endpoint: string) => [permissionCause(endpoint), outageCause(endpoint)]

function causeOf(fault: IntegrationFault, endpoint: string): string {
  if (fault === 'credentials') return credentialsCause
  return fault === 'permission' ? permissionCause(endpoint) : outageCause(endpoint)
}

const tells = ({ error_message, failed_url, affected_endpoints }: ErrorRow) =>
  JSON.stringify([error_message, failed_url, affected_endpoints.map((each) => [each.endpoint, each.preventing_sync])])

const among = (causes: readonly string[]) => sql<boolean>`cause = any(${causes})`

async function removeErrors(trx: Db, source: EventSource, which: RawBuilder<boolean>) {
  const rows = await trx
    .deleteFrom('connection_errors')
    .where('connection_id', '=', source.connectionId)
    .where(which)
    .returningAll()
    .execute()
  await emit(
    trx,
    source,
    rows.map((row) => errorEvent('deleted', source, row)),
  )
}

/** @param old as PostgreSQL writes JSON */
function changeEvent(source: EventSource, old: ErrorRow, row: ErrorRow) {
  const event = errorEvent('updated', source, row)
  const before = { ...old, first_seen: new Date(old.first_seen), last_seen: new Date(old.last_seen) }
  return { ...event, previousAttributes: previousAttributes(errorEvent('updated', source, before).data, event.data) }
}

function errorEvent(change: 'created' | 'updated' | 'deleted', source: EventSource, row: ErrorRow) {
  return {
    type: `connection-error.${change}`,
    resourceId: null,
    data: {
      failed_url: row.failed_url,
      affected_endpoints: row.affected_endpoints,
      integration_name: source.integrationName,
      error_message: row.error_message,
      created_date: row.first_seen.toISOString(),
      updated_date: row.last_seen.toISOString(),
      last_seen: row.last_seen.toISOString(),
    },
  }
}
