import type { Item } from './articles.ts'
import type { Calendar } from './calendar.ts'
import { homes, type Premises } from './premises.ts'

/** A merchant's goods in one facility, and when deliveries for them came. */
export interface Lane {
  client: string
  facility: string
  arrivals: string[]
}

const deliveriesPerLane = 9

/** Every merchant's facilities, each supplied every six weeks; the first deliveries come before the first orders. */
export function supplyLanes({ clients }: Premises, calendar: Calendar): Lane[] {
  return clients
    .flatMap((client) => homes(client.id).map((facility) => ({ client: client.id, facility })))
    .map((lane, index) => ({
      ...lane,
      arrivals: Array.from({ length: deliveriesPerLane }, (_, turn) =>
        calendar.daysAgo(364.5 - index * 0.3 - turn * 44),
      ),
    }))
}

export function laneFinder(lanes: Lane[]): (place: { client: string; facility: string }) => Lane {
  const byPlace = new Map(lanes.map((lane) => [`${lane.client} ${lane.facility}`, lane]))
  return ({ client, facility }) => byPlace.get(`${client} ${facility}`)!
}

/** Goods that arrive together form a lot and leave before the next lot is touched. */
export const lotName = (stock: string, facility: string, turn: number) =>
  `LOT-${stock.slice(1)}-${facility}-${turn + 1}`

/** The turn of the delivery whose lot was leaving at an instant. */
export const turnAt = (lane: Lane, at: string) => lane.arrivals.findLastIndex((arrival) => arrival <= at)

/** The delivery that brings what is left at the end; a retired item gets none after the first. */
export const reserveTurn = (item: Item) => (item.active ? deliveriesPerLane - 1 : 0)
