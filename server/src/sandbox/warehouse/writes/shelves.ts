import type { ParcelContent, Stock } from '../../../integrations/sandbox/documents.ts'
import type { Booking } from '../booking.ts'
import { binOf } from '../generate/flows.ts'
import { quarantineSlot } from '../generate/premises.ts'
import { Refusal } from '../refusal.ts'

/** The quantities of a stock item in a facility; the item is first kept there when goods come. */
export function levelAt(stock: Stock, facility: string): Stock['levels'][number] {
  const known = stock.levels.find((level) => level.facility === facility)
  if (known) return known
  const level = { facility, on_hand: 0, allocated: 0, quarantined: 0, expected: 0 }
  stock.levels.push(level)
  return level
}

/** Pieces that are promised to nobody and may be shipped. */
export function available(stock: Stock, facility: string): number {
  const { on_hand, allocated, quarantined } = levelAt(stock, facility)
  return on_hand - allocated - quarantined
}

/** Puts pieces into a slot. */
export function putIn(stock: Stock, facility: string, slot: string, qty: number): void {
  const level = levelAt(stock, facility)
  level.on_hand += qty
  if (slot === quarantineSlot(facility)) level.quarantined += qty
  const position = stock.positions.find((position) => position.slot === slot)
  if (position) position.qty += qty
  else stock.positions.push({ facility, slot, qty })
}

/** @throws Refusal 422 for a slot that the facility does not have */
export async function requireSlot(booking: Booking, slot: string, facility: string): Promise<void> {
  if ((await booking.find('slots', [slot])).get(slot)?.facility === facility) return
  throw new Refusal(422, `There is no slot ${slot} in facility ${facility}`)
}

/**
 * Takes pieces that may be shipped, from the bin first and from the lot that expires first.
 * @param slot takes from there alone
 * @throws Refusal 409 when there are not so many
 */
export function takeOut(
  stock: Stock,
  facility: string,
  qty: number,
  slot?: string,
): Pick<ParcelContent, 'lot' | 'best_before'> {
  const bin = binOf(stock.id, facility)
  const open = stock.positions
    .filter((position) => position.facility === facility && position.slot !== quarantineSlot(facility))
    .filter((position) => slot === undefined || position.slot === slot)
    .sort((a, b) => Number(b.slot === bin) - Number(a.slot === bin))
  const there = open.reduce((total, position) => total + position.qty, 0)
  const most = Math.max(0, Math.min(there, available(stock, facility)))
  if (most < qty) throw new Refusal(409, `${slot ?? facility} has ${most} of ${stock.sku}, not ${qty}`)
  levelAt(stock, facility).on_hand -= qty
  spend(open, qty)
  stock.positions = stock.positions.filter((position) => position.qty > 0)

  const lots = stock.lots
    .filter((lot) => lot.facility === facility)
    .sort((a, b) => ((a.best_before ?? '9') < (b.best_before ?? '9') ? -1 : 1))
  const { lot = null, best_before = null } = lots[0] ?? {}
  spend(lots, qty)
  stock.lots = stock.lots.filter((lot) => lot.qty > 0)
  return { lot, best_before }
}

/** Takes pieces from the first places, as far as they go. */
export function spend(places: readonly { qty: number }[], qty: number): void {
  let left = qty
  for (const place of places) {
    const part = Math.min(place.qty, left)
    place.qty -= part
    left -= part
  }
}
