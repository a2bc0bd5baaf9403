import type {
  Article,
  Consignment,
  Facility,
  Order,
  Parcel,
  ParcelContent,
  Service,
} from '../../../integrations/sandbox/documents.ts'
import type { Item } from './articles.ts'
import type { OrderState } from './order-states.ts'
import type { Random } from './random.ts'

interface Consigning {
  orderId: string
  state: OrderState
  facility: Facility
  service: Service
  lines: Order['lines']
  dispatchedAt: string
  wholesale: boolean
  article(id: string): Article
  item(id: string): Item
  random: Random
}

/** What an order in `state` has packed or sent: consignments, shipped quantity by article, instant of departure. */
export function consign(order: Consigning): {
  consignments: Consignment[]
  shipped: Map<string, number>
  dispatched: string | null
} {
  const { state, random } = order
  const consignmentState = consignmentStates[state]
  const voided = state === 'CANCELLED' && random.chance(0.3)
  if (!consignmentState && !voided) return { consignments: [], shipped: new Map(), dispatched: null }

  const left = consignmentState === 'DISPATCHED'
  const share = state === 'PART_SHIPPED' ? 0.5 : 1
  const packed = order.lines.map((line) => ({
    article: order.article(line.article),
    qty: Math.floor(line.qty * share),
  }))
  const contents = packed.flatMap(({ article, qty }) =>
    article.parts.map((part) => ({
      stock: part.stock,
      sku: part.sku,
      qty: qty * part.qty,
      kit: article.kit ? article.id : null,
      lot: null,
      best_before: null,
    })),
  )
  const half = Math.ceil(contents.length / 2)
  const loads = order.wholesale && contents.length > 1 ? [contents.slice(0, half), contents.slice(half)] : [contents]
  return {
    consignments: [
      {
        no: `${order.orderId}-1`,
        facility: order.facility.id,
        state: consignmentState ?? 'VOIDED',
        dispatched: left ? order.dispatchedAt : null,
        from: order.facility.address,
        parcels: loads.map((load, index) => ({
          title: loads.length > 1 ? `Box ${index + 1} of ${loads.length}` : null,
          ...parcel(`${order.orderId}-1-${index + 1}`, load, left, order),
        })),
      },
    ],
    shipped: new Map(left ? packed.map(({ article, qty }) => [article.id, qty]) : []),
    dispatched: left ? order.dispatchedAt : null,
  }
}

const consignmentStates: Partial<Record<OrderState, string>> = {
  PACKED: 'PREPARED',
  SHIPPED: 'DISPATCHED',
  PART_SHIPPED: 'DISPATCHED',
}

function parcel(
  no: string,
  contents: ParcelContent[],
  left: boolean,
  { service, item, random }: Pick<Consigning, 'service' | 'item' | 'random'>,
): Omit<Parcel, 'title'> {
  const mass_g = contents.reduce((total, { stock, qty }) => total + qty * item(stock).box.mass_g, 250)
  const tracking = left ? trackingNumber(service.carrier.code, random) : null
  return {
    no,
    service: { id: service.id, title: service.title, carrier: service.carrier },
    tracking,
    tracking_url: tracking && trackingPages[service.carrier.code]! + tracking,
    cost_cents: 450 + Math.round(mass_g / 20) + random.int(0, 300),
    box: { length_cm: random.int(20, 60), width_cm: random.int(15, 40), height_cm: random.int(10, 40), mass_g },
    contents,
  }
}

export function trackingNumber(carrier: string, random: Random): string {
  return carrier === 'ups' ? `1Z${random.digits(16)}` : random.digits(carrier === 'usps' ? 22 : 12)
}

const trackingPages: Record<string, string> = {
  ups: 'https://www.ups.com/track?tracknum=',
  fedex: 'https://www.fedex.com/fedextrack/?trknbr=',
  usps: 'https://tools.usps.com/go/TrackConfirmAction?tLabels=',
  xpo: 'https://track.xpo.com/?pro=',
}
