import type { Asn, Order, Stock } from '../../../integrations/sandbox/documents.ts'
import type { Item } from './articles.ts'
import type { Calendar } from './calendar.ts'
import { binOf, type Flow, palletOf } from './flows.ts'
import type { Lane } from './lanes.ts'
import { lotsLeft } from './lots.ts'
import { homes, quarantineSlot } from './premises.ts'
import { allocated, quarantined, Tally } from './sums.ts'

/** Stock at `now`: the sums of the ledger, laid out over slots and lots. */
export function layOut(
  lanes: Lane[],
  items: Item[],
  { orders, asns, flows }: { orders: Order[]; asns: Asn[]; flows: Flow[] },
  calendar: Calendar,
): Stock[] {
  const onHand = new Tally()
  const modified = new Map<string, string>()
  for (const { stock, facility, code, qty, at } of flows) {
    if (code !== 'SLOT_MOVE') onHand.add(stock, facility, qty)
    if (at > (modified.get(stock) ?? '')) modified.set(stock, at)
  }
  const reserved = allocated(orders)
  const blocked = quarantined(flows)
  const expected = new Tally()
  for (const asn of asns) {
    if (asn.state === 'BOOKED' || asn.state === 'CANCELLED') continue
    for (const { stock, announced, received } of asn.lines) expected.add(stock, asn.facility, announced - received)
  }
  const lots = lotsLeft(lanes, items, flows, calendar)

  return items.map((item) => ({
    id: item.id,
    created: item.created,
    modified: modified.get(item.id) ?? item.created,
    client: item.client,
    sku: item.sku,
    title: item.title,
    cost_cents: item.cost_cents,
    state: item.active ? 'LIVE' : 'RETIRED',
    replaced_by: item.active ? [] : successors(item, items),
    box: item.box,
    levels: homes(item.client).map((facility) => ({
      facility,
      on_hand: onHand.of(item.id, facility),
      allocated: reserved.of(item.id, facility),
      quarantined: blocked.of(item.id, facility),
      expected: expected.of(item.id, facility),
    })),
    positions: homes(item.client).flatMap((facility) =>
      positions(item.id, facility, onHand.of(item.id, facility), blocked.of(item.id, facility)),
    ),
    lots: lots.get(item.id) ?? [],
  }))
}

function positions(stock: string, facility: string, onHand: number, blocked: number): Stock['positions'] {
  const picking = Math.min(40, onHand - blocked)
  return [
    { facility, slot: quarantineSlot(facility), qty: blocked },
    { facility, slot: binOf(stock, facility), qty: picking },
    { facility, slot: palletOf(stock, facility), qty: onHand - blocked - picking },
  ].filter(({ qty }) => qty > 0)
}

/** The next item of the merchant that is still sold. */
function successors({ client, id }: Item, items: Item[]): string[] {
  const next = items.find((item) => item.client === client && item.active && item.id > id)
  return next ? [next.sku] : []
}
