import { randomBytes } from 'node:crypto'
import type { Selectable } from 'kysely'
import { type Static, Type } from 'typebox'
import { getConnection } from '../connections/find-connections.ts'
import type { SealedColumn } from '../db/reseal.ts'
import type { Db, Schema } from '../db/schema.ts'
import { errors } from '../errors.ts'
import type { BodyFault } from '../http/validation.ts'
import { type IntegrationType, integrationTypes, oneOf, text, textOrNull, timestamp } from '../resources/define.ts'
import { hashSecret, type Vault } from '../secrets.ts'
import { canonicalFunctions, functionList } from './known-functions.ts'

/** What a magic link may be made of; names outside of `integrationNames` are refused. */
export const magicLinkRequest = (integrationNames: readonly string[]) => {
  const integrations = Type.Optional(Type.Array(oneOf(...new Set(integrationNames)), { maxItems: 1000 }))
  return Type.Object(
    {
      connection_id: Type.Optional(textOrNull),
      integration_allow_list: integrations,
      integration_block_list: integrations,
      integrations_with_endpoints: Type.Optional(functionList),
      integration_type: Type.Optional(oneOf(...integrationTypes)),
      disabled_functions: Type.Optional(functionList),
      enabled_functions: Type.Optional(functionList),
      link_duration: Type.Optional(Type.Integer({ minimum: 1, maximum: 365, description: 'Days; 7 unless given.' })),
      customer_id: Type.Optional(textOrNull),
    },
    { additionalProperties: false, default: {} },
  )
}

export type MagicLinkRequest = Static<ReturnType<typeof magicLinkRequest>>

export const magicLink = Type.Object({
  id: text,
  url: text,
  expires_at: timestamp,
  integration_type: oneOf(...integrationTypes),
  integration_allow_list: Type.Array(text),
  integration_block_list: Type.Array(text),
  integrations_with_endpoints: Type.Array(text),
  customer_id: textOrNull,
})

export type MagicLink = Static<typeof magicLink>

/** An allow list stands alone. */
export function listFaults(request: MagicLinkRequest): BodyFault[] {
  const others = (['integration_block_list', 'integrations_with_endpoints'] as const).filter(
    (list) => request[list]?.length,
  )
  if (!request.integration_allow_list?.length || others.length === 0) return []
  return [{ at: ['integration_allow_list'], message: `Cannot be combined with ${others.join(' and ')}.` }]
}

interface Parts {
  db: Db
  vault: Vault
  publicUrl: string
}

/** @throws ApiError 404 when the connection to reinstall is not the organization's, 422 when it is of another type */
export async function createMagicLink(
  { db, vault, publicUrl }: Parts,
  organizationId: string,
  request: MagicLinkRequest,
  now: Date,
): Promise<MagicLink> {
  const { connection_id: reinstalled = null } = request
  const connection = reinstalled === null ? null : await getConnection(db, organizationId, reinstalled)
  const type = request.integration_type ?? connection?.integrationType ?? 'wms'
  if (connection && connection.integrationType !== type) {
    throw errors.validation({
      json: { integration_type: [`Must be ${connection.integrationType}, as its connection.`] },
    })
  }
  const id = randomBytes(16).toString('hex')
  const hash = hashSecret(id)
  const row = await db
    .insertInto('magic_links')
    .values({
      hash,
      id_sealed: vault.seal(id, idPurpose(hash)),
      organization_id: organizationId,
      connection_id: connection?.id ?? null,
      customer_id: request.customer_id ?? null,
      integration_type: type,
      integration_allow_list: request.integration_allow_list ?? [],
      integration_block_list: request.integration_block_list ?? [],
      integrations_with_endpoints: canonicalFunctions(request.integrations_with_endpoints ?? []),
      disabled_functions: canonicalFunctions(request.disabled_functions ?? []),
      enabled_functions: canonicalFunctions(request.enabled_functions ?? []),
      expires_at: new Date(now.getTime() + (request.link_duration ?? 7) * dayMs),
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  return present(row, id, publicUrl)
}

/** Every link of the organization, the newest first; used and expired ones too. */
export async function listMagicLinks({ db, vault, publicUrl }: Parts, organizationId: string): Promise<MagicLink[]> {
  const rows = await db
    .selectFrom('magic_links')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('deleted_at', 'is', null)
    .orderBy('created_at', 'desc')
    .orderBy('hash')
    .execute()
  return rows.map((row) => present(row, openMagicLinkId(vault, row), publicUrl))
}

/** @throws ApiError 404, the same for another organization's link and for none */
export async function getMagicLink({ db, publicUrl }: Parts, organizationId: string, id: string): Promise<MagicLink> {
  const row = await db
    .selectFrom('magic_links')
    .selectAll()
    .where('hash', '=', hashSecret(id))
    .where('organization_id', '=', organizationId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  if (!row) throw errors.notFound('Magic link', id)
  return present(row, id, publicUrl)
}

/**
 * Withdraws a link. Its row stays, so that whoever opens it learns that it was withdrawn.
 * @throws ApiError 404
 */
export async function deleteMagicLink(db: Db, organizationId: string, id: string, now: Date): Promise<void> {
  const { numUpdatedRows } = await db
    .updateTable('magic_links')
    .set({ deleted_at: now })
    .where('hash', '=', hashSecret(id))
    .where('organization_id', '=', organizationId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  if (numUpdatedRows === 0n) throw errors.notFound('Magic link', id)
}

export const openMagicLinkId = (vault: Vault, row: { hash: Buffer; id_sealed: Buffer }) =>
  vault.open(row.id_sealed, idPurpose(row.hash))

/** What is sealed of magic links; rows are named by their hash as PostgreSQL writes it, `\\x…`. */
export const sealedMagicLinkColumns: readonly SealedColumn[] = [
  {
    table: 'magic_links',
    id: 'hash',
    column: 'id_sealed',
    purpose: (hash) => idPurpose(Buffer.from(hash.slice(2), 'hex')),
  },
]

/** Sealed ids open only beside their own hash. */
const idPurpose = (hash: Buffer) => `id of magic link ${hash.toString('hex')}`

const dayMs = 86_400_000

const present = (row: Selectable<Schema['magic_links']>, id: string, publicUrl: string): MagicLink => ({
  id,
  url: `${publicUrl}/link/${id}`,
  expires_at: row.expires_at.toISOString(),
  integration_type: row.integration_type as IntegrationType,
  integration_allow_list: row.integration_allow_list,
  integration_block_list: row.integration_block_list,
  integrations_with_endpoints: row.integrations_with_endpoints,
  customer_id: row.customer_id,
})
