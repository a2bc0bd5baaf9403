import type { Movement, Order, Rma } from '../../../integrations/sandbox/documents.ts'
import type { Item } from './articles.ts'
import type { Calendar } from './calendar.ts'
import { homes, quarantineSlot } from './premises.ts'
import type { Random } from './random.ts'

/** A ledger entry before it has a number. */
export type Flow = Omit<Movement, 'id' | 'created' | 'modified'> & { at: string }

export function outgoing(orders: Order[]): Flow[] {
  return orders.flatMap((order) =>
    order.consignments
      .filter((consignment) => consignment.state === 'DISPATCHED')
      .flatMap(({ facility, dispatched, parcels }) =>
        parcels.flatMap((parcel) =>
          parcel.contents.map(({ stock, sku, qty }) => ({
            at: dispatched!,
            client: order.client,
            stock,
            sku,
            facility,
            slot: binOf(stock, facility),
            code: 'SHIP_OUT',
            qty: -qty,
            note: null,
            cause: { kind: 'orders' as const, id: order.id },
          })),
        ),
      ),
  )
}

/** What came back and stayed in the building; discarded goods never enter the stock. */
export function returned(rmas: Rma[]): Flow[] {
  return rmas.flatMap((rma) =>
    rma.lines.flatMap(({ stock, sku, findings }) =>
      findings
        .filter(({ disposition }) => disposition !== 'DISCARDED')
        .map(({ qty, disposition }) => ({
          at: rma.parcels[0]!.arrived!,
          client: rma.client,
          stock,
          sku,
          facility: rma.facility,
          slot: disposition === 'QUARANTINED' ? quarantineSlot(rma.facility) : binOf(stock, rma.facility),
          code: 'RMA_IN',
          qty,
          note: disposition,
          cause: { kind: 'rmas' as const, id: rma.id },
        })),
    ),
  )
}

/** Counts, losses and moves into quarantine. Losses are younger than the last delivery, which covers them. */
export function corrections(items: Item[], calendar: Calendar, random: Random): Flow[] {
  return items.flatMap((item) =>
    homes(item.client).flatMap((facility) => {
      if (random.chance(0.5)) return []
      const code = random.weighted({ COUNT_DOWN: 5, COUNT_UP: 5, SCRAP: 2, VENDOR_BACK: 2, RELABEL: 1, SLOT_MOVE: 3 })
      const gain = code === 'COUNT_UP'
      const move = code === 'SLOT_MOVE'
      return {
        at: calendar.daysAgo(gain ? random.int(10, 300) + random.next() : 1 + random.next() * 8),
        client: item.client,
        stock: item.id,
        sku: item.sku,
        facility,
        slot: move ? quarantineSlot(facility) : binOf(item.id, facility),
        code: code.startsWith('COUNT') ? 'COUNT' : code,
        qty: random.int(1, 3) * (gain || move ? 1 : -1),
        note: notes[code]!,
        cause: null,
      }
    }),
  )
}

/** The bin and the pallet of a stock item in a facility. */
export const binOf = (stock: string, facility: string) => `${facility}-B-0${1 + (Number(stock.slice(1)) % 8)}`
export const palletOf = (stock: string, facility: string) => `${facility}-P-0${1 + (Number(stock.slice(1)) % 8)}`

const notes: Record<string, string> = {
  COUNT_UP: 'Cycle count',
  COUNT_DOWN: 'Cycle count',
  SCRAP: 'Broken on the shelf',
  VENDOR_BACK: 'Sent back to the vendor',
  RELABEL: 'Relabelled',
  SLOT_MOVE: 'Packaging damaged',
}
