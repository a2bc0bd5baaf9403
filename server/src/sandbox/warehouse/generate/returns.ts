import type { Order, Rma, RmaLine } from '../../../integrations/sandbox/documents.ts'
import type { Item } from './articles.ts'
import type { Calendar } from './calendar.ts'
import { trackingNumber } from './consignments.ts'
import type { Random } from './random.ts'

export const rmaStates = ['ANNOUNCED', 'IN_TRANSIT', 'UNLOADING', 'BOOKED', 'CANCELLED', 'INSPECTION'] as const
type RmaState = (typeof rmaStates)[number]

/** Why goods come back here. */
export const returnReasons = [
  { code: 'TOO_SMALL', text: 'Too Small' },
  { code: 'TOO_LARGE', text: 'Too Large' },
  { code: 'DEFECTIVE', text: 'Defective' },
  { code: 'WRONG_ITEM', text: 'Wrong Item Sent' },
  { code: 'NOT_AS_DESCRIBED', text: 'Not as Described' },
  { code: 'NO_LONGER_WANTED', text: 'No Longer Wanted' },
] as const

const count = 100

/** Returns of shipped orders; the latest forty pass through every state, the older ones are done. */
export function takeReturns(orders: Order[], items: Item[], calendar: Calendar, random: Random): Rma[] {
  const shipped = orders.filter((order) => order.state === 'SHIPPED' && calendar.age(order.modified) > 4)
  const recent = shipped.filter((order) => calendar.age(order.modified) < 24)
  const old = shipped.filter((order) => calendar.age(order.modified) >= 24)
  const chosen = [...spread(old, count - 40), ...spread(recent, 40)]
  const boxes = new Map(items.map((item) => [item.id, item.box]))

  return chosen.map((order, index) => {
    const latest = index - (count - 40)
    const state: RmaState =
      latest >= 0 ? rmaStates[latest % rmaStates.length]! : random.weighted({ BOOKED: 93, CANCELLED: 7 })
    const created = calendar.after(order.modified, 1 + random.next() * 2)
    const travelled = state !== 'ANNOUNCED' && state !== 'CANCELLED'
    const arrived = travelled && state !== 'IN_TRANSIT' ? calendar.after(created, 1 + random.next() * 5) : null
    const sent = travelled ? calendar.after(created, 0.5) : null
    const number = `RMA-${3001 + index}`
    const contents = order.consignments[0]!.parcels.flatMap((parcel) => parcel.contents)
    const returned = [...new Map(contents.map((content) => [content.stock, content])).values()].slice(
      0,
      random.int(1, 2),
    )
    const { carrier } = order.service
    return {
      id: `R${3001 + index}`,
      created,
      modified: arrived ?? sent ?? (state === 'CANCELLED' ? calendar.after(created, 0.4) : created),
      number,
      client: order.client,
      facility: order.facility,
      order: order.id,
      state,
      remarks: random.chance(0.2) ? ['Original packaging opened'] : [],
      lines: returned.map(({ stock, sku, qty }) => line(stock, sku, random.int(1, Math.min(qty, 3)), state, random)),
      parcels:
        state === 'ANNOUNCED' && random.chance(0.5)
          ? []
          : [
              {
                tracking: trackingNumber(carrier.code, random),
                carrier,
                sent,
                arrived,
                cost_cents: random.int(500, 1500),
                box: boxes.get(returned[0]!.stock)!,
              },
            ],
    }
  })
}

function line(stock: string, sku: string, announced: number, state: RmaState, random: Random): RmaLine {
  const found = state === 'BOOKED' || state === 'INSPECTION' ? announced : state === 'UNLOADING' ? announced - 1 : 0
  const damaged = random.chance(0.25) ? Math.min(1, found) : 0
  const findings = [
    { qty: found - damaged, condition: 'GOOD', disposition: 'RESTOCKED' },
    { qty: damaged, condition: 'DAMAGED', disposition: random.pick(['QUARANTINED', 'DISCARDED']) },
  ]
  return {
    stock,
    sku,
    announced,
    reason: { ...random.pick(returnReasons) },
    findings: findings.filter(({ qty }) => qty > 0),
  }
}

/** `count` elements, evenly over the list. */
function spread<T>(list: T[], count: number): T[] {
  return Array.from({ length: count }, (_, index) => list[Math.floor((index * list.length) / count)]!)
}
