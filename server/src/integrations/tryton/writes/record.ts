import { IntegrationError } from '../../fault.ts'
import type { Source } from '../changes.ts'
import type { Row, TrytonClient } from '../client.ts'

/**
 * One record as a crawl reads it.
 * @throws IntegrationError `not_found`
 */
export async function recordOf<Found extends Row>(client: TrytonClient, source: Source, id: number): Promise<Found> {
  const [found] = await recordsWhere<Found>(client, source, [['id', '=', id]])
  if (!found) throw new IntegrationError('not_found', `Tryton has no ${source.model} ${id}`)
  return found
}

/** Records as a crawl reads them, at most two: enough to know whether it is one. */
export function recordsWhere<Found extends Row>(
  client: TrytonClient,
  { model, domain = [], context = {}, fields }: Source,
  condition: readonly unknown[],
): Promise<Found[]> {
  return client.read<Found>({ model, domain: [...domain, ...condition], fields, context, limit: 2 })
}

/** @throws IntegrationError `not_found` for what cannot be an id of Tryton */
export function toId(id: string): number {
  if (/^[1-9]\d{0,8}$/.test(id)) return Number(id)
  throw new IntegrationError('not_found', `Tryton has no record ${id}`)
}

export const refused = (message: string) => new IntegrationError('rejected', message)

/** The record is in a state, or there already, so that it cannot be. */
export const inTheWay = (message: string) => new IntegrationError('conflict', message)
