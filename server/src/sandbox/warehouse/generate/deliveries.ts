import type { Asn } from '../../../integrations/sandbox/documents.ts'
import type { Item } from './articles.ts'
import { byCreated, type Calendar } from './calendar.ts'
import { type Flow, palletOf } from './flows.ts'
import { type Lane, laneFinder, lotName, reserveTurn, turnAt } from './lanes.ts'
import { address, type Premises, towns } from './premises.ts'
import type { Random } from './random.ts'

export const asnStates = ['ANNOUNCED', 'IN_TRANSIT', 'UNLOADING', 'BOOKED', 'CANCELLED', 'CUSTOMS_HOLD'] as const

/**
 * Deliveries that carry exactly the year: each brings what leaves until the next one, and one of them also brings
 * `reserve`, what has to be left at the end. Beside them stand announced, running, held and cancelled ones.
 */
export function deliver(
  premises: Premises,
  lanes: Lane[],
  items: Item[],
  outflows: Flow[],
  reserve: (stock: string, facility: string) => number,
  calendar: Calendar,
  random: Random,
): Asn[] {
  const shipped = shippedByLot(lanes, outflows)
  const asns: Omit<Asn, 'id'>[] = []

  for (const lane of lanes) {
    const stocked = items.filter((item) => item.client === lane.client)
    for (const [turn, arrived] of lane.arrivals.entries()) {
      const lines = stocked.flatMap((item) => {
        const kept = turn === reserveTurn(item) ? reserve(item.id, lane.facility) : 0
        const received = (shipped.get(lotName(item.id, lane.facility, turn)) ?? 0) + kept
        return received ? [asnLine(item, received + (random.chance(0.05) ? random.int(1, 3) : 0), received)] : []
      })
      asns.push(asn(lane, calendar.expected(arrived, -random.int(10, 20)), arrived, 'BOOKED', lines, premises, random))
    }
  }
  for (const [index, state] of pending.entries()) {
    const lane = lanes[index % lanes.length]!
    const active = items.filter((item) => item.client === lane.client && item.active)
    const lines = active
      .filter((_, position) => position % 3 === index % 3)
      .map((item) => {
        const announced = random.int(10, 60)
        return asnLine(item, announced, state === 'UNLOADING' ? Math.floor(announced / 2) : 0)
      })
    const created = calendar.daysAgo(random.int(3, 20) + random.next())
    const eta =
      state === 'UNLOADING' ? calendar.daysAgo(random.next() * 0.8) : calendar.expected(created, random.int(21, 30))
    asns.push(asn(lane, created, eta, state, lines, premises, random))
  }
  return asns.sort(byCreated).map((fields, index) => numbered(fields, 2001 + index))
}

/** Ledger entries of everything received. */
export function incoming(asns: Asn[]): Flow[] {
  return asns.flatMap((asn) =>
    asn.receipts.flatMap((receipt) =>
      receipt.lines.map(({ stock, sku, qty }) => ({
        at: receipt.at,
        client: asn.client,
        stock,
        sku,
        facility: asn.facility,
        slot: palletOf(stock, asn.facility),
        code: 'GOODS_IN',
        qty,
        note: null,
        cause: { kind: 'asns' as const, id: asn.id },
      })),
    ),
  )
}

function shippedByLot(lanes: Lane[], outflows: Flow[]): Map<string, number> {
  const laneOf = laneFinder(lanes)
  const shipped = new Map<string, number>()
  for (const flow of outflows) {
    const { stock, facility, qty, at } = flow
    const lot = lotName(stock, facility, turnAt(laneOf(flow), at))
    shipped.set(lot, (shipped.get(lot) ?? 0) - qty)
  }
  return shipped
}

const pending = Object.entries({ ANNOUNCED: 5, IN_TRANSIT: 5, UNLOADING: 4, CANCELLED: 2, CUSTOMS_HOLD: 2 }).flatMap(
  ([state, count]) => Array<string>(count).fill(state),
)

function asnLine(item: Item, announced: number, received: number): Asn['lines'][number] {
  const { id: stock, sku, cost_cents } = item
  return { stock, sku, announced, received, cost_cents, vendor_code: `${sku}-X` }
}

function asn(
  lane: Lane,
  created: string,
  eta: string,
  state: string,
  lines: Asn['lines'],
  { vendors }: Premises,
  random: Random,
): Omit<Asn, 'id'> {
  const vendor = random.pick(vendors.filter(({ client }) => client === lane.client))
  const [city, region, zip] = random.pick(towns)
  const received = lines.filter((line) => line.received > 0)
  const arrived = received.map(({ stock, sku, received: qty }) => ({ stock, sku, qty }))
  return {
    created,
    modified: received.length ? eta : created,
    client: lane.client,
    facility: lane.facility,
    po_number: '',
    vendor: { id: vendor.id, title: vendor.title },
    state,
    eta,
    origin: address({
      company: vendor.title,
      street: '1 Harbor Road',
      street2: 'Pier 4',
      city,
      region,
      zip,
      country: 'US',
    }),
    trackings: state === 'ANNOUNCED' ? [] : [`1Z${random.digits(16)}`],
    remarks: random.chance(0.1) ? ['Deliver to dock 4'] : [],
    lines,
    receipts: received.length ? [{ no: 'R1', at: eta, lines: arrived }] : [],
  }
}

function numbered(fields: Omit<Asn, 'id'>, number: number): Asn {
  const receipts = fields.receipts.map((receipt) => ({ ...receipt, no: `N${number}-${receipt.no}` }))
  return { id: `N${number}`, ...fields, receipts, po_number: `PO-${number}` }
}
