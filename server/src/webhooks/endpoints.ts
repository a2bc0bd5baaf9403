import { sql } from 'kysely'
import type { Db } from '../db/schema.ts'
import { errors } from '../errors.ts'
import type { PageKey } from '../http/pages.ts'
import type { Vault } from '../secrets.ts'
import { uuidOrNull } from '../uuid.ts'
import { newEndpointSecret, openEndpointSecret, sealEndpointSecret } from './endpoint-secret.ts'

export interface WebhookEndpoint {
  id: string
  url: string
  description: string
  /** Empty: all. */
  event_types: string[]
  status: 'enabled' | 'disabled'
  /** Why the service disabled it; null otherwise. */
  disabled_reason: string | null
  created_at: string
}

export type EndpointChange = Partial<Pick<WebhookEndpoint, 'url' | 'description' | 'event_types' | 'status'>>

type WithSecret = WebhookEndpoint & { secret: string }

export async function createEndpoint(
  db: Db,
  vault: Vault,
  organizationId: string,
  wanted: Pick<WebhookEndpoint, 'url' | 'description' | 'event_types'>,
): Promise<WithSecret> {
  const id = crypto.randomUUID()
  const secret = newEndpointSecret()
  const row = await db
    .insertInto('webhook_endpoints')
    .values({ ...wanted, id, organization_id: organizationId, secret_sealed: sealEndpointSecret(vault, id, secret) })
    .returning(columns)
    .executeTakeFirstOrThrow()
  return { ...present(row), secret }
}

/** Oldest first. */
export async function listEndpoints(
  db: Db,
  organizationId: string,
  after: PageKey | null,
  limit: number,
): Promise<WebhookEndpoint[]> {
  const rows = await db
    .selectFrom('webhook_endpoints')
    .select(columns)
    .where('organization_id', '=', organizationId)
    .$if(after !== null, (query) =>
      query.where(sql<boolean>`(created_at, id) > (${after?.[0]}::timestamptz, ${after?.[1]}::uuid)`),
    )
    .orderBy('created_at')
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map(present)
}

/** @throws ApiError 404 */
export async function getEndpoint(db: Db, organizationId: string, id: string): Promise<WebhookEndpoint> {
  return present(await find(db, organizationId, id))
}

/** @throws ApiError 404 */
export async function revealEndpoint(db: Db, vault: Vault, organizationId: string, id: string): Promise<WithSecret> {
  const row = await find(db, organizationId, id)
  return { ...present(row), secret: openEndpointSecret(vault, row.id, row.secret_sealed) }
}

/** Enabling gives a new start: what it failed before is forgotten. @throws ApiError 404 */
export async function updateEndpoint(
  db: Db,
  organizationId: string,
  id: string,
  change: EndpointChange,
): Promise<WebhookEndpoint> {
  const row = await db
    .updateTable('webhook_endpoints')
    .set({ ...change, ...(change.status ? { disabled_reason: null, failing_since: null } : {}) })
    .where('organization_id', '=', organizationId)
    .where(sql<boolean>`id = ${uuidOrNull(id)}`)
    .returning(columns)
    .executeTakeFirst()
  if (!row) throw notFound(id)
  return present(row)
}

/** Every secret that is rotated away signs along for a day. @throws ApiError 404 */
export async function rotateSecret(db: Db, vault: Vault, organizationId: string, id: string): Promise<WithSecret> {
  const secret = newEndpointSecret()
  const endpoint = await find(db, organizationId, id)
  await sql`
    with endpoint as (
      select id, secret_sealed from webhook_endpoints where id = ${endpoint.id} for update
    ), retired as (
      insert into webhook_retired_secrets (endpoint_id, secret_sealed, expires_at)
      select id, secret_sealed, now() + interval '24 hours' from endpoint
    )
    update webhook_endpoints set secret_sealed = ${sealEndpointSecret(vault, endpoint.id, secret)}
    from endpoint where webhook_endpoints.id = endpoint.id`.execute(db)
  return { ...present(endpoint), secret }
}

/** Removes an endpoint and what was to be sent to it. @throws ApiError 404 */
export async function deleteEndpoint(db: Db, organizationId: string, id: string): Promise<void> {
  const { numDeletedRows } = await db
    .deleteFrom('webhook_endpoints')
    .where('organization_id', '=', organizationId)
    .where(sql<boolean>`id = ${uuidOrNull(id)}`)
    .executeTakeFirst()
  if (numDeletedRows === 0n) throw notFound(id)
  await db
    .deleteFrom('webhook_deliveries')
    .where(sql<boolean>`endpoint_id = ${uuidOrNull(id)}`)
    .execute()
}

const columns = [
  'id',
  'url',
  'description',
  'event_types',
  'status',
  'disabled_reason',
  'secret_sealed',
  'created_at',
] as const

async function find(db: Db, organizationId: string, id: string) {
  const row = await db
    .selectFrom('webhook_endpoints')
    .select(columns)
    .where('organization_id', '=', organizationId)
    .where(sql<boolean>`id = ${uuidOrNull(id)}`)
    .executeTakeFirst()
  if (!row) throw notFound(id)
  return row
}

const notFound = (id: string) => errors.notFound('Webhook endpoint', id)

const present = (row: Omit<WebhookEndpoint, 'created_at'> & { created_at: Date }): WebhookEndpoint => ({
  id: row.id,
  url: row.url,
  description: row.description,
  event_types: row.event_types,
  status: row.status,
  disabled_reason: row.disabled_reason,
  created_at: row.created_at.toISOString(),
})
