import type { Kind, WarehouseDocuments } from '../../integrations/sandbox/documents.ts'
import { assortment } from './generate/articles.ts'
import { calendar as calendarOf } from './generate/calendar.ts'
import { deliver, incoming } from './generate/deliveries.ts'
import { corrections, type Flow, outgoing, returned } from './generate/flows.ts'
import { supplyLanes } from './generate/lanes.ts'
import { labelLots } from './generate/lots.ts'
import { takeOrders } from './generate/orders.ts'
import { premises as premisesOf } from './generate/premises.ts'
import { seeded } from './generate/random.ts'
import { takeReturns } from './generate/returns.ts'
import { bill, workLog } from './generate/services.ts'
import { layOut } from './generate/stock.ts'
import { allocated, lost, quarantined, Tally } from './generate/sums.ts'

/** Every document of a warehouse system, by kind. */
export type Documents = { [K in Kind]: WarehouseDocuments[K][] }

/**
 * One coherent year of a warehouse that ends at `now`: what left was there before, what is there is what came minus
 * what left, what is promised is there. Pure: the same seed and instant give the same documents.
 */
export function generate(seed: string, now: Date): Documents {
  const calendar = calendarOf(now)
  const random = seeded(seed)

  const premises = premisesOf(calendar)
  const lanes = supplyLanes(premises, calendar)
  const { items, articles } = assortment(premises, calendar, random)
  const orders = takeOrders(premises, { items, articles }, calendar, random)
  const rmas = takeReturns(orders, items, calendar, random)
  const others = [...returned(rmas), ...corrections(items, calendar, random)]
  const outflows = outgoing(orders)

  const spare = new Tally()
  for (const { id, active } of items) {
    for (const facility of premises.facilities)
      spare.add(id, facility.id, active ? random.int(10, 120) : random.int(4, 12))
  }
  const needed = [allocated(orders), quarantined(others), lost(others), spare]
  const reserve = (stock: string, facility: string) => needed.reduce((sum, tally) => sum + tally.of(stock, facility), 0)
  const asns = deliver(premises, lanes, items, outflows, reserve, calendar, random)

  const flows = [...incoming(asns), ...outflows, ...others].sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))
  labelLots(lanes, items, orders, calendar)
  const stock = layOut(lanes, items, { orders, asns, flows }, calendar)

  return {
    facilities: premises.facilities,
    slots: premises.slots,
    clients: premises.clients,
    vendors: premises.vendors,
    services: premises.services,
    'sales-channels': premises.channels,
    articles,
    stock,
    movements: flows.map(({ at, ...flow }: Flow, index) => ({
      id: `M${200_001 + index}`,
      created: at,
      modified: at,
      ...flow,
    })),
    orders,
    asns,
    rmas,
    charges: bill(orders, stock, calendar),
    tasks: workLog({ orders, asns, rmas }, calendar, random),
  }
}
