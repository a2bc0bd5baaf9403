import { toPieces } from './quantities.ts'

/** A line of a shipment: one product on its way from one location to another. */
export interface Move {
  id: number
  product: number
  'product.': { code: string | null }
  /** In the unit of the line. */
  quantity: number
  /** In the unit that the product's stock is kept in. */
  internal_quantity: number
  state: string
  /** Per unit of the line. */
  unit_price: number | null
  'lot.'?: { number: string } | null
  create_date: string
  write_date: string | null
}

export const moveFields = (relation: string) =>
  [
    'product',
    'product.code',
    'quantity',
    'internal_quantity',
    'state',
    'unit_price',
    'lot.number',
    'create_date',
    'write_date',
  ].map((name) => `${relation}.${name}`)

/**
 * The lines that count, in the order they were made: those taken out of a shipment stay with it as cancelled, those of a
 * cancelled one are all so.
 */
export function linesOf<Line extends Pick<Move, 'id' | 'state'>>(state: string, moves: readonly Line[]): Line[] {
  return moves.filter((move) => state === 'cancelled' || move.state !== 'cancelled').sort((a, b) => a.id - b.id)
}

/** Price of one piece as it is counted in stock. */
export function unitPrice({ unit_price, quantity, internal_quantity }: Move): number | null {
  if (unit_price === null || quantity === internal_quantity || internal_quantity === 0) return unit_price
  return Math.round(((unit_price * quantity) / internal_quantity) * 1e6) / 1e6
}

/** One entry per product, in the order of their first line. */
export function perProduct(moves: readonly Pick<Move, 'product' | 'product.' | 'internal_quantity'>[]) {
  const entries = new Map<number, { inventory_item_id: string; sku: string | null; sum: number }>()
  for (const move of moves) {
    const entry = entries.get(move.product) ?? {
      inventory_item_id: String(move.product),
      sku: move['product.'].code || null,
      sum: 0,
    }
    entry.sum += move.internal_quantity
    entries.set(move.product, entry)
  }
  return [...entries.values()].map(({ sum, ...item }) => ({ ...item, quantity: toPieces(sum) }))
}
