import { sql } from 'kysely'
import { type Connection, getConnection } from '../connections/find-connections.ts'
import type { Db } from '../db/schema.ts'
import { errors } from '../errors.ts'
import { hashSecret } from '../secrets.ts'
import type { Narrowing } from './offer.ts'

/** What opens the install page: a link token, or a magic link. */
export interface Link {
  kind: 'link_token' | 'magic_link'
  hash: Buffer
  organizationId: string
  customerId: string | null
  /** The connection to reinstall. */
  connection: Connection | null
  /** Made or reinstalled through this link last. */
  installedConnectionId: string | null
  expiresAt: Date
  /** A magic link installs once. */
  used: boolean
  /** A magic link's own settings; whoever made the link token sets them in the component instead. */
  settings: { narrowing: Narrowing; disabledFunctions: string[]; enabledFunctions: string[] } | null
}

/**
 * Finds what a page was opened with.
 * @param secret a link token, or the id of a magic link
 * @throws ApiError 401 for one that never was, 410 for one expired or withdrawn
 */
export async function openLink(db: Db, secret: string, now: Date): Promise<Link> {
  const find = secret.startsWith('lt_') ? findLinkToken : findMagicLink
  const link = await find(db, hashSecret(secret))
  if (link.expiresAt <= now) throw errors.linkExpired()
  return link
}

/**
 * Takes a link for the install that the transaction ends with. Of two installs through one magic link the second waits
 * here for the first.
 * @throws ApiError 409 for a magic link that is used, 410 for one withdrawn meanwhile
 */
export async function claimLink(trx: Db, link: Link, now: Date): Promise<void> {
  if (link.kind === 'link_token') return
  const { rows } = await sql<{ used_at: Date | null; deleted_at: Date | null }>`
    select used_at, deleted_at from magic_links where hash = ${link.hash} for update`.execute(trx)
  if (!rows[0] || rows[0].deleted_at) throw errors.linkWithdrawn()
  if (rows[0].used_at) throw errors.linkUsed()
  await trx.updateTable('magic_links').set({ used_at: now }).where('hash', '=', link.hash).execute()
}

/** Remembers which connection was made or reinstalled through a link. */
export async function noteInstalled(trx: Db, link: Link, connectionId: string): Promise<void> {
  await trx
    .updateTable(link.kind === 'magic_link' ? 'magic_links' : 'link_tokens')
    .set({ installed_connection_id: connectionId })
    .where('hash', '=', link.hash)
    .execute()
}

async function findLinkToken(db: Db, hash: Buffer): Promise<Link> {
  const row = await db.selectFrom('link_tokens').selectAll().where('hash', '=', hash).executeTakeFirst()
  if (!row) throw errors.invalidLinkToken()
  return { ...(await common(db, row)), kind: 'link_token', used: false, settings: null }
}

async function findMagicLink(db: Db, hash: Buffer): Promise<Link> {
  const row = await db.selectFrom('magic_links').selectAll().where('hash', '=', hash).executeTakeFirst()
  if (!row) throw errors.invalidLinkToken()
  if (row.deleted_at) throw errors.linkWithdrawn()
  return {
    ...(await common(db, row)),
    kind: 'magic_link',
    used: row.used_at !== null,
    settings: {
      narrowing: {
        integrationType: row.integration_type as Narrowing['integrationType'],
        allowList: row.integration_allow_list,
        blockList: row.integration_block_list,
        withEndpoints: row.integrations_with_endpoints,
        sandbox: row.integration_allow_list.includes('sandbox'),
      },
      disabledFunctions: row.disabled_functions,
      enabledFunctions: row.enabled_functions,
    },
  }
}

interface LinkRow {
  hash: Buffer
  organization_id: string
  connection_id: string | null
  customer_id: string | null
  installed_connection_id: string | null
  expires_at: Date
}

async function common(db: Db, row: LinkRow) {
  const connection = row.connection_id ? await getConnection(db, row.organization_id, row.connection_id) : null
  return {
    hash: row.hash,
    organizationId: row.organization_id,
    customerId: row.customer_id ?? connection?.customerId ?? null,
    connection,
    installedConnectionId: row.installed_connection_id,
    expiresAt: row.expires_at,
  }
}
