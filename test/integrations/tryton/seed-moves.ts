import { series } from './seed-catalogue.ts'
import { decimal, type TrytonClient } from './tryton-client.ts'
import type { Place } from './tryton-seed.ts'

/**
 * Products that the warehouse holds, each `step`th of the catalogue, with a lot where lots are kept. Neighbouring
 * shipments share no product: Tryton saves what it has done so far whenever a product comes up again.
 */
export function moves(place: Place, i: number, count: number, step: number, way: { from: number; to: number }) {
  const { activeProductIds, lots, unitId } = place.catalogue
  const held = activeProductIds.filter((_, index) => index % step === 0)
  return series(count, (nth) => {
    const product = held[(4 * i + nth) % held.length]!
    return {
      product,
      lot: lots.find(({ productId }) => productId === product)?.id,
      quantity: 1 + ((i + nth) % 3),
      uom: unitId,
      from_location: way.from,
      to_location: way.to,
      company: place.company.id,
      currency: place.company.currencyId,
      unit_price: decimal('19.90'),
    }
  })
}

/**
 * Creates shipments first and their moves in calls of their own: moves given together with a shipment make Tryton
 * validate one shipment at a time.
 */
export async function createWithMoves(admin: TrytonClient, model: string, shipments: Drafted[]): Promise<number[]> {
  const ids = await inChunks(shipments, (chunk) =>
    admin.create(
      model,
      chunk.map(({ row }) => row),
    ),
  )
  const allMoves = shipments.flatMap(({ row, moves }, i) =>
    moves.map((move) => ({ ...move, shipment: `${model},${ids[i]}`, planned_date: row.planned_date })),
  )
  await inChunks(allMoves, (chunk) => admin.create('stock.move', chunk))
  return ids
}

export type Drafted = { row: { planned_date?: unknown; [field: string]: unknown }; moves: Record<string, unknown>[] }

/** A hundred records a call unless told otherwise: Tryton's work on a call grows faster than the call. */
export async function inChunks<Item>(
  items: Item[],
  call: (chunk: Item[]) => Promise<unknown>,
  size = 100,
): Promise<number[]> {
  const results: unknown[] = []
  for (let start = 0; start < items.length; start += size) results.push(await call(items.slice(start, start + size)))
  return results.flat() as number[]
}
