import type { Asn, Charge, Order, Rma, Stock, Task } from '../../../integrations/sandbox/documents.ts'
import { byCreated, type Calendar } from './calendar.ts'
import { homes } from './premises.ts'
import type { Random } from './random.ts'

const billedDays = 120
const loggedDays = 45

/** What the warehouse charges its clients: every order that left in the last months, and storage month by month. */
export function bill(orders: Order[], stock: Stock[], calendar: Calendar): Charge[] {
  const charges: Omit<Charge, 'id'>[] = []
  const charge = (at: string, client: string, type: string, cents: number, about: Charge['about']) =>
    charges.push({ created: at, modified: at, client, type, cents, currency: 'USD', about })

  for (const { id, client, consignments } of orders) {
    for (const { dispatched, parcels } of consignments) {
      if (!dispatched || calendar.age(dispatched) > billedDays) continue
      const about = { kind: 'orders', id }
      const pieces = parcels.flatMap((parcel) => parcel.contents).reduce((total, { qty }) => total + qty, 0)
      const freight = parcels.reduce((total, { cost_cents }) => total + cost_cents!, 0)
      charge(dispatched, client, 'SHIPPING', freight, about)
      charge(dispatched, client, 'PICKING', 120 + pieces * 35, about)
      charge(dispatched, client, 'PACKING', 95 * parcels.length, about)
    }
  }
  for (const client of new Set(stock.map((item) => item.client))) {
    const pieces = stock
      .filter((item) => item.client === client)
      .flatMap((item) => item.levels)
      .reduce((total, { on_hand }) => total + on_hand, 0)
    for (const facility of homes(client)) {
      for (let month = 0; month < 12; month++) {
        charge(calendar.daysAgo(month * 30 + 2), client, 'STORAGE', pieces * 9, { kind: 'facilities', id: facility })
      }
    }
  }
  return charges.sort(byCreated).map((fields, index) => ({ id: `B${70_001 + index}`, ...fields }))
}

/** Who worked on what in the last weeks. */
export function workLog(
  { orders, asns, rmas }: { orders: Order[]; asns: Asn[]; rmas: Rma[] },
  calendar: Calendar,
  random: Random,
): Task[] {
  const tasks: Omit<Task, 'id'>[] = []
  type Place = { client: string; facility: string }
  const log = (activity: string, end: string, hours: number, place: Place, about: Task['about'], qty: number) => {
    if (calendar.age(end) > loggedDays) return
    const started = calendar.expected(end, -hours / 24)
    const number = random.int(1, 12)
    const worker = { id: `U${number}`, first_name: 'Worker', last_name: String(number).padStart(2, '0') }
    const { client, facility } = place
    tasks.push({ created: started, modified: end, client, facility, worker, activity, started, ended: end, about, qty })
  }

  for (const { id, consignments, ...place } of orders) {
    for (const { dispatched, parcels } of consignments) {
      if (!dispatched) continue
      const pieces = parcels.flatMap((parcel) => parcel.contents).reduce((total, { qty }) => total + qty, 0)
      log('PICK', calendar.expected(dispatched, -0.1), 0.3, place, { kind: 'orders', id }, pieces)
      log('PACK', calendar.expected(dispatched, -0.05), 0.2, place, { kind: 'orders', id }, pieces)
    }
  }
  for (const { id, receipts, ...place } of asns) {
    for (const { at, lines } of receipts) {
      const pieces = lines.reduce((total, { qty }) => total + qty, 0)
      log('RECEIVE', at, 1.5, place, { kind: 'asns', id }, pieces)
      log('PUT_AWAY', calendar.after(at, 0.05), 1, place, { kind: 'asns', id }, pieces)
    }
  }
  for (const { id, parcels, lines, ...place } of rmas) {
    const arrived = parcels[0]?.arrived
    if (!arrived) continue
    log('RECEIVE', arrived, 0.2, place, { kind: 'rmas', id }, lines.length)
    if (lines.some(({ findings }) => findings.length > 0)) {
      log('INSPECT', calendar.after(arrived, 0.02), 0.1, place, { kind: 'rmas', id }, lines.length)
    }
  }
  return tasks.sort(byCreated).map((fields, index) => ({ id: `T${80_001 + index}`, ...fields }))
}
