import { type RawBuilder, sql } from 'kysely'
import { instant } from '../db/instant.ts'
import type { Db } from '../db/schema.ts'
import { readTextPage, type TextPage } from '../db/text-page.ts'
import { errors } from '../errors.ts'
import type { Registry } from '../integrations/registry.ts'
import type { IntegrationType } from '../resources/define.ts'
import { resources } from '../resources/index.ts'
import { hashSecret } from '../secrets.ts'
import { errorSummariesOf, errorsOf } from '../sync/connection-errors.ts'
import { firstSyncedOf, schedulesOf } from '../sync/schedules.ts'
import { uuidOrNull } from '../uuid.ts'
import { availableActions, disabledFunctionsOf, type Policy } from './policy.ts'

/**
 * Lists the connections of an organization, oldest first, as they are answered.
 * @param only one access token's connection, or the key of the last one had
 */
export async function listConnectionAnswers(
  db: Db,
  organizationId: string,
  only: { accessToken: string } | { after: ConnectionKey | null },
  limit: number,
): Promise<TextPage> {
  const chosen =
    'accessToken' in only ? sql`and token_hash = ${hashSecret(only.accessToken)}` : afterConnection(only.after)
  const rows = sql`
    select c.id::text as id, created_at as at, row_number() over (order by created_at, c.id) as place, '{' || ${summary} || ',"errors":' ||
      case when exists (select from connection_errors e where e.connection_id = c.id)
        then ${errorSummariesOf(sql`c.id`)} else '[]' end || '}' as item
    from connections c where organization_id = ${organizationId} ${chosen}
    order by created_at, c.id`
  return readTextPage(db, rows, limit)
}

/** SQL for the versions of the rows that a page of the list is made of. */
export const versionsOfPage = (organizationId: string, after: ConnectionKey | null, limit: number) => sql<string>`
  concat_ws('/',
    (select md5(string_agg(id::text || xmin::text, '')) from (
      select id, xmin from connections where organization_id = ${organizationId} ${afterConnection(after)}
      order by created_at, id limit ${limit + 1}
    ) as listed),
    (select md5(string_agg(e.id::text || e.xmin::text, '' order by e.id)) from connection_errors e
      join connections c on c.id = e.connection_id and c.organization_id = ${organizationId}))`

/** Where a page of the list begins. */
export type ConnectionKey = readonly string[]

const afterConnection = (key: ConnectionKey | null) =>
  key ? sql`and (created_at, id) > (${key[0]}::timestamptz, ${key[1]}::uuid)` : sql``

/**
 * The detail of a connection as it is answered, JSON text; one statement.
 * @throws ApiError 404, the same for another organization's connection and for none
 */
export async function getConnectionAnswer(
  db: Db,
  registry: Registry,
  organizationId: string,
  id: string,
): Promise<string> {
  const { rows } = await sql<DetailRow>`
    select '{' || ${summary} || ',"errors":' || ${errorsOf(sql`c.id`)} || ',"customer_id":' ||
        coalesce(to_json(c.customer_id)::text, 'null') || ',"webhooks_disabled":' || c.webhooks_disabled ||
        ',"me":' || coalesce(c.me::text, 'null') || ',"sync_schedules":' || ${schedulesOf(sql`c.id`)} as answer,
      c.integration_type as "integrationType", c.integration_name as "integrationName",
      c.disabled_functions as "disabledFunctions", c.enabled_functions as "enabledFunctions",
      o.disabled_functions -> c.integration_type as "organizationDisabled", ${firstSyncedOf(sql`c.id`)} as "firstSynced"
    from connections c join organizations o on o.id = c.organization_id
    where c.id = ${uuidOrNull(id)} and c.organization_id = ${organizationId}`.execute(db)
  const row = rows[0]
  if (!row) throw errors.notFound('Connection', id)
  // one that is gone since an upgrade does nothing, but its connection can be read and deleted
  const integration = registry.find(row.integrationType, row.integrationName)
  const policy = { ...row, organizationDisabled: row.organizationDisabled ?? [] }
  const decided = {
    integration_display_name: integration?.displayName ?? row.integrationName,
    integration_type: row.integrationType,
    available_actions: integration ? availableActions(integration, disabledFunctionsOf(policy)) : [],
    historical_sync_completed: Object.fromEntries(
      historicalFunctions(row.integrationType).map((name) => [name, row.firstSynced.includes(name)]),
    ),
  }
  return `${row.answer},${JSON.stringify(decided).slice(1)}`
}

/** SQL for the versions of the rows that the detail of a connection is made of. */
export const versionsOfDetail = (organizationId: string, id: string) => {
  const connection = uuidOrNull(id)
  return sql<string>`
    array(
      select xmin from connections where id = ${connection} and organization_id = ${organizationId}
      union all select xmin from organizations where id = ${organizationId}
      union all select xmin from schedules where connection_id = ${connection}
      union all select xmin from connection_errors where connection_id = ${connection}
    )::text`
}

interface DetailRow extends Omit<Policy, 'organizationDisabled'> {
  /** All that needs no decision, without its closing brace. */
  answer: string
  integrationType: IntegrationType
  integrationName: string
  organizationDisabled: string[] | null
  firstSynced: string[]
}

const summary: RawBuilder<string> = sql`'"connection_id":"' || c.id || '","integration_name":' || to_json(c.integration_name) ||
  ',"created_at":"' || ${instant(sql`c.created_at`)} || '","last_used":' ||
  coalesce('"' || ${instant(sql`c.last_used`)} || '"', 'null') || ',"times_used":' || c.times_used`

/** The functions whose first crawl the detail tells of. */
const historicalFunctions = (type: string) =>
  resources.flatMap((resource) =>
    resource.type === type && !untold.has(resource.readAction) ? resource.readAction : [],
  )

const untold = new Set([
  'get_inventory_ledger',
  'get_labor_activities',
  'get_shipping_methods',
  'get_order_channels',
  'get_inbound_shipment_suppliers',
])
