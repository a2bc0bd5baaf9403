import type { Order } from '../../../integrations/sandbox/documents.ts'
import type { Flow } from './flows.ts'
import { quarantineSlot } from './premises.ts'

/** Sums by stock item and facility. */
export class Tally {
  readonly #sums = new Map<string, number>()

  add(stock: string, facility: string, qty: number): void {
    const key = `${stock} ${facility}`
    this.#sums.set(key, (this.#sums.get(key) ?? 0) + qty)
  }

  of(stock: string, facility: string): number {
    return this.#sums.get(`${stock} ${facility}`) ?? 0
  }
}

export function allocated(orders: Order[]): Tally {
  const tally = new Tally()
  for (const { facility, allocations } of orders) {
    for (const { stock, qty } of allocations) tally.add(stock, facility, qty)
  }
  return tally
}

/** What lies in quarantine. */
export function quarantined(flows: Flow[]): Tally {
  const tally = new Tally()
  for (const { stock, facility, slot, qty } of flows) {
    if (slot === quarantineSlot(facility)) tally.add(stock, facility, qty)
  }
  return tally
}

/** What went without being shipped. */
export function lost(flows: Flow[]): Tally {
  const tally = new Tally()
  for (const { stock, facility, code, qty } of flows) {
    if (qty < 0 && code !== 'SHIP_OUT') tally.add(stock, facility, -qty)
  }
  return tally
}
