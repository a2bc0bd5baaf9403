import type { Stock } from '../../../integrations/sandbox/documents.ts'
import type { WarehouseRequests } from '../../../integrations/sandbox/requests.ts'
import type { Booking } from '../booking.ts'
import { binOf } from '../generate/flows.ts'
import { Refusal } from '../refusal.ts'
import { enter } from './movements.ts'
import { putIn, requireSlot, takeOut } from './shelves.ts'

/** Corrects the stock on hand to what was counted, with an entry in the ledger. */
export async function correct(
  booking: Booking,
  id: string,
  { qty, direction, facility, slot: wanted }: WarehouseRequests['correct'],
): Promise<Stock> {
  const item = await booking.get('stock', id)
  if ((await booking.find('facilities', [facility])).size === 0) {
    throw new Refusal(422, `There is no facility ${facility}`)
  }
  const slot = wanted ?? binOf(id, facility)
  if (wanted !== undefined) await requireSlot(booking, wanted, facility)
  if (direction === 'up') putIn(item, facility, slot, qty)
  else takeOut(item, facility, qty, wanted)
  const signed = direction === 'up' ? qty : -qty
  await enter(booking, [{ stock: item, facility, slot, code: 'COUNT', qty: signed, note: 'Cycle count', cause: null }])
  return booking.change('stock', item)
}
