import type { Movement, Stock } from '../../../integrations/sandbox/documents.ts'
import type { Booking } from '../booking.ts'

export interface Moved extends Pick<Movement, 'facility' | 'slot' | 'code' | 'qty' | 'note' | 'cause'> {
  stock: Stock
}

/** Enters what moved into the stock ledger. */
export async function enter(booking: Booking, moved: readonly Moved[]): Promise<void> {
  const numbers = await booking.numbers(moved.length)
  for (const [index, { stock, ...movement }] of moved.entries()) {
    booking.add('movements', {
      id: `M${numbers[index]}`,
      client: stock.client,
      stock: stock.id,
      sku: stock.sku,
      ...movement,
    })
  }
}
