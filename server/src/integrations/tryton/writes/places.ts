import type { Row, TrytonClient } from '../client.ts'
import { refused } from './record.ts'

/** The location that a field of a record names. */
export async function placeOf(client: TrytonClient, owner: string, id: number, field: string): Promise<number> {
  const [found] = await client.read<Row & Record<string, number | null>>({
    model: owner,
    domain: [['id', '=', id]],
    fields: [field],
  })
  const place = found?.[field]
  if (!place) throw refused(`${owner} ${id} of Tryton has no ${field.replace('_', ' ')}`)
  return place
}
