import type { Page, PageRequest } from '../define.ts'
import type { Domain, Row, TrytonClient } from './client.ts'
import type { TrytonContext } from './sessions.ts'
import { toDatetime } from './values.ts'

/** What is read of a model, and how a change shows. */
export interface Source {
  model: string
  domain?: Domain
  context?: TrytonContext
  fields: readonly string[]
  /** Relations whose rows belong to the record: a changed row leaves the record's own `write_date` alone. */
  parts?: readonly string[]
  pageSize?: number
}

/** A condition on `active` would do for a whole search, but not for the alternatives within one. */
export const withArchived: TrytonContext = { active_test: false }

/**
 * A page of what changed, in the order of ids, which do not change while records do. `write_date` is empty until the
 * first change. The watermark is the server's clock as the first page was read: a later one would skip records that
 * changed while the pages before them were on their way.
 */
export async function changedPage<Found extends Row>(
  client: TrytonClient,
  source: Source,
  { since, cursor }: Pick<PageRequest, 'since' | 'cursor'>,
): Promise<Page<Found>> {
  const { model, domain = [], context = {}, fields, parts = [], pageSize = 250 } = source
  const from = cursor as { after: number; clock: string | null } | null
  const present = await Promise.all(parts.map((part) => client.has(model, part)))
  const owners = ['', ...parts.filter((_, i) => present[i]).map((part) => `${part}.`)]
  const at = since && toDatetime(since)
  const changed = owners.flatMap((owner) => ['write_date', 'create_date'].map((date) => [owner + date, '>=', at]))
  const items = await client.read<Found>({
    model,
    domain: [...domain, ['id', '>', from?.after ?? 0], ...(at ? [['OR', ...changed]] : [])],
    fields,
    context,
    limit: pageSize,
  })
  const clock = from ? from.clock : (client.clock?.toISOString() ?? null)
  const last = items.at(-1)
  return {
    items,
    next: last && items.length === pageSize ? { after: last.id, clock } : null,
    watermark: clock === null ? undefined : new Date(clock),
  }
}

/** Every row of a model, for lists that are read whole. */
export async function allPage<Found extends Row>(
  client: TrytonClient,
  source: Source,
  { cursor }: Pick<PageRequest, 'cursor'>,
): Promise<Page<Found>> {
  const { items, next } = await changedPage<Found>(client, source, { since: null, cursor })
  return { items, next }
}
