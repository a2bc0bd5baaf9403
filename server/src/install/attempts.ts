import { sql } from 'kysely'
import { type Static, Type } from 'typebox'
import { eventSource } from '../connections/event-source.ts'
import type { Db } from '../db/schema.ts'
import { cutPage, type List, type PageKey } from '../http/pages.ts'
import type { Integration } from '../integrations/define.ts'
import { oneOf, text, textOrNull, timestamp } from '../resources/define.ts'
import type { Vault } from '../secrets.ts'
import { emit } from '../webhooks/emit.ts'
import type { InstallStep } from './install-failure.ts'
import type { Link } from './links.ts'
import { openMagicLinkId } from './magic-links.ts'

export const installAttempt = Type.Object({
  id: text,
  customer_id: textOrNull,
  integration_type: text,
  integration_name: text,
  outcome: oneOf('succeeded', 'failed'),
  step: textOrNull,
  message: textOrNull,
  magic_link_id: textOrNull,
  created_at: timestamp,
})

export type InstallAttempt = Static<typeof installAttempt>

export const attemptFilters = {
  customer_id: Type.Optional(Type.String()),
  integration_name: Type.Optional(Type.String()),
  outcome: Type.Optional(oneOf('succeeded', 'failed')),
}

/** How an install went. The message is for the organization: why it failed, or what the login may not read. */
export interface InstallOutcome {
  failedAt: InstallStep | null
  message: string | null
}

/**
 * Keeps an install that was tried, in the transaction of what it made where it made something. A failed one is told
 * with the event `install.failed`.
 */
export async function recordAttempt(
  trx: Db,
  link: Link,
  integration: Integration,
  { failedAt, message }: InstallOutcome,
  now: Date,
): Promise<void> {
  const { id } = await trx
    .insertInto('install_attempts')
    .values({
      organization_id: link.organizationId,
      customer_id: link.customerId,
      integration_type: integration.type,
      integration_name: integration.name,
      outcome: failedAt ? 'failed' : 'succeeded',
      step: failedAt,
      message,
      magic_link_hash: link.kind === 'magic_link' ? link.hash : null,
      created_at: now,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  if (failedAt) {
    const data = {
      id,
      integration_name: integration.name,
      integration_type: integration.type,
      customer_id: link.customerId,
      step: failedAt,
      error_message: message,
      created_date: now.toISOString(),
    }
    await emit(trx, sourceOf(link, integration), [{ type: 'install.failed', resourceId: null, data }])
  }
}

/** Newest first. @param after the page key of the last one had */
export async function listAttempts(
  db: Db,
  vault: Vault,
  organizationId: string,
  query: { customer_id?: string; integration_name?: string; outcome?: string; limit: number },
  after: PageKey | null,
) {
  const { rows } = await sql<Omit<InstallAttempt, 'created_at' | 'magic_link_id'> & AttemptRow>`
    select a.id, a.customer_id, a.integration_type, a.integration_name, a.outcome, a.step, a.message, a.created_at,
      l.hash, l.id_sealed
    from install_attempts a left join magic_links l on l.hash = a.magic_link_hash
    where a.organization_id = ${organizationId}
      and (${query.customer_id ?? null}::text is null or a.customer_id = ${query.customer_id ?? null})
      and (${query.integration_name ?? null}::text is null or a.integration_name = ${query.integration_name ?? null})
      and (${query.outcome ?? null}::text is null or a.outcome = ${query.outcome ?? null})
      and (${after?.[0] ?? null}::timestamptz is null
        or (a.created_at, a.id) < (${after?.[0] ?? null}::timestamptz, ${after?.[1] ?? null}::uuid))
    order by a.created_at desc, a.id desc limit ${query.limit + 1}`.execute(db)
  return cutPage(
    rows,
    query.limit,
    attemptsOf(organizationId),
    (row) => [row.created_at.toISOString(), row.id],
    ({ hash, id_sealed, created_at, ...row }): InstallAttempt => ({
      ...row,
      magic_link_id: hash && id_sealed ? openMagicLinkId(vault, { hash, id_sealed }) : null,
      created_at: created_at.toISOString(),
    }),
  )
}

export const attemptsOf = (organizationId: string): List => ({ name: 'install-attempts', ownerId: organizationId })

interface AttemptRow {
  created_at: Date
  hash: Buffer | null
  id_sealed: Buffer | null
}

function sourceOf(link: Link, integration: Integration) {
  if (link.connection) return eventSource(link.connection)
  return {
    organizationId: link.organizationId,
    connectionId: null,
    customerId: link.customerId,
    integrationName: integration.name,
    integrationType: integration.type,
    webhooksDisabled: false,
  }
}
