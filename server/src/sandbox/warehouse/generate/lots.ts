import type { Order, Stock } from '../../../integrations/sandbox/documents.ts'
import type { Item } from './articles.ts'
import type { Calendar } from './calendar.ts'
import type { Flow } from './flows.ts'
import { type Lane, laneFinder, lotName, reserveTurn, turnAt } from './lanes.ts'

/** What is left of the lots of perishable items, by stock item. Goods taken back belong to no lot. */
export function lotsLeft(lanes: Lane[], items: Item[], flows: Flow[], calendar: Calendar): Map<string, Stock['lots']> {
  const perishable = new Map(items.filter((item) => item.perishable).map((item) => [item.id, item]))
  const laneOf = laneFinder(lanes)
  const left = new Map<string, Stock['lots'][number] & { stock: string }>()
  for (const flow of flows) {
    const { stock, facility, code, qty, at } = flow
    const item = perishable.get(stock)
    if (!item || code === 'RMA_IN' || code === 'SLOT_MOVE' || (code === 'COUNT' && qty > 0)) continue
    const lane = laneOf(flow)
    const loss = code !== 'GOODS_IN' && code !== 'SHIP_OUT'
    const unscheduled = code === 'GOODS_IN' && !lane.arrivals.includes(at)
    const turn = unscheduled ? lane.arrivals.length : loss ? reserveTurn(item) : turnAt(lane, at)
    const lot = lotName(stock, facility, turn)
    const known = left.get(lot)
    if (known) known.qty += qty
    else left.set(lot, { stock, lot, facility, qty, best_before: bestBefore(lane.arrivals[turn] ?? at, calendar) })
  }
  const byStock = new Map<string, Stock['lots']>()
  for (const { stock, ...lot } of left.values()) {
    if (lot.qty > 0) byStock.set(stock, [...(byStock.get(stock) ?? []), lot])
  }
  return byStock
}

/** Writes into each parcel with a perishable item which lot it came from. */
export function labelLots(lanes: Lane[], items: Item[], orders: Order[], calendar: Calendar): void {
  const perishable = new Set(items.filter((item) => item.perishable).map((item) => item.id))
  const laneOf = laneFinder(lanes)
  for (const order of orders) {
    const lane = laneOf(order)
    for (const { dispatched, parcels } of order.consignments) {
      if (!dispatched) continue
      const turn = turnAt(lane, dispatched)
      for (const content of parcels.flatMap((parcel) => parcel.contents)) {
        if (!perishable.has(content.stock)) continue
        content.lot = lotName(content.stock, order.facility, turn)
        content.best_before = bestBefore(lane.arrivals[turn]!, calendar)
      }
    }
  }
}

const bestBefore = (arrived: string, calendar: Calendar) => calendar.expected(arrived, 400)
