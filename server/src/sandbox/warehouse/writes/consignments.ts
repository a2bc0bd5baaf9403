import type { Consignment, Order, Parcel, ParcelContent } from '../../../integrations/sandbox/documents.ts'
import type { WarehouseRequests } from '../../../integrations/sandbox/requests.ts'
import type { Booking } from '../booking.ts'
import { binOf } from '../generate/flows.ts'
import { Refusal } from '../refusal.ts'
import { boxOf } from './boxes.ts'
import { enter, type Moved } from './movements.ts'
import { type OrderStock, release, remaining, requireOpen, reserve, stockOf } from './order-stock.ts'
import { serviceOf } from './services.ts'
import { available, putIn, spend, takeOut } from './shelves.ts'

/** Sends goods of an order off: the stock shrinks, the ledger tells why, the rest stays reserved. */
export async function dispatch(booking: Booking, id: string, wanted: WarehouseRequests['dispatch']): Promise<Order> {
  const order = await booking.get('orders', id)
  requireOpen(order, 'shipped')
  const held = await stockOf(booking, order)
  const rest = remaining(held)
  const contents = wanted.lines ? chosen(held, rest, wanted.lines) : rest
  if (contents.length === 0) throw new Refusal(409, `Nothing of order ${order.number} is left to ship`)
  return send(booking, held, contents, wanted)
}

/** Ships what is left of an order, or half of it; what the shelves lack is found in a count first. */
export async function fulfil(booking: Booking, id: string, { partial }: WarehouseRequests['fulfil']): Promise<Order> {
  const order = await booking.get('orders', id)
  requireOpen(order, 'fulfilled')
  const held = await stockOf(booking, order)
  const rest = remaining(held)
  const contents = partial ? half(rest) : rest
  if (contents.length === 0) throw new Refusal(409, `Order ${order.number} has too little left to be fulfilled in part`)
  release(booking, held)
  await countIn(booking, held, contents)
  return send(booking, held, contents, { parcels: [{ tracking: `SIM${Date.parse(booking.now)}` }] })
}

async function send(
  booking: Booking,
  held: OrderStock,
  contents: Omit<ParcelContent, 'lot' | 'best_before'>[],
  wanted: WarehouseRequests['dispatch'],
): Promise<Order> {
  const { order, stock } = held
  const from = wanted.facility ?? order.facility
  const facility = await booking.get('facilities', from)
  const sold = wanted.service ? await serviceOf(booking, wanted.service) : order.service
  const service = { ...sold, carrier: await carrierOf(booking, wanted.carrier, sold.carrier) }
  release(booking, held)
  const packed = contents.map((content) => {
    const item = booking.change('stock', stock.get(content.stock)!)
    return { ...content, ...takeOut(item, from, content.qty) }
  })
  const moved: Moved[] = packed.map(({ stock: item, qty }) => ({
    stock: stock.get(item)!,
    facility: from,
    slot: binOf(item, from),
    code: 'SHIP_OUT',
    qty: -qty,
    note: null,
    cause: { kind: 'orders', id: order.id },
  }))
  await enter(booking, moved)

  const no = `${order.id}-${order.consignments.length + 1}`
  const mass_g = packed.reduce<number | null>((total, { stock: item, qty }) => {
    const { mass_g: each } = stock.get(item)!.box
    return total === null || each === null ? null : total + qty * each
  }, 250)
  const cost_cents = wanted.cost_cents ?? (mass_g === null ? null : 450 + Math.round(mass_g / 20))
  const parcels = wanted.parcels.map(
    (parcel, index): Parcel => ({
      no: parcel.no ?? `${no}-${index + 1}`,
      title: null,
      service,
      tracking: parcel.tracking ?? null,
      tracking_url: parcel.tracking_url ?? null,
      // paid once for all
      cost_cents: index === 0 ? cost_cents : null,
      box: wanted.box ? boxOf(wanted.box) : { length_cm: 40, width_cm: 30, height_cm: 20, mass_g },
      contents: packed.filter((_, position) => position % wanted.parcels.length === index),
    }),
  )
  const dispatched = new Date(wanted.dispatched ?? booking.now).toISOString()
  const consignment: Consignment = {
    no,
    facility: from,
    state: 'DISPATCHED',
    dispatched,
    from: facility.address,
    parcels,
  }
  order.consignments = [...order.consignments.filter(({ state }) => state !== 'PREPARED'), consignment]
  const done = remaining(held).length === 0
  if (!done) reserve(booking, held)
  for (const line of order.lines) line.picked ||= done
  order.state = done ? 'SHIPPED' : 'PART_SHIPPED'
  return booking.change('orders', order)
}

/** Pieces of the lines that a request names by the SKU ordered. @throws Refusal 422 */
function chosen(
  { order, articles }: OrderStock,
  rest: ReturnType<typeof remaining>,
  lines: NonNullable<WarehouseRequests['dispatch']['lines']>,
) {
  return lines.flatMap(({ sku, qty }) => {
    const line = order.lines.find((line) => line.sku === sku)
    if (!line) throw new Refusal(422, `Order ${order.number} has no line with SKU ${sku}`)
    const article = articles.get(line.article)!
    return article.parts.map((part) => {
      const kit = article.kit ? article.id : null
      const left = rest.filter((each) => each.stock === part.stock && each.kit === kit)
      const wanted = qty * part.qty
      if (left.reduce((total, each) => total + each.qty, 0) < wanted) {
        throw new Refusal(422, `Order ${order.number} has fewer than ${qty} of ${sku} left to ship`)
      }
      spend(left, wanted)
      return { stock: part.stock, sku: part.sku, qty: wanted, kit }
    })
  })
}

/** About half of the pieces, at least one and never all. */
function half(rest: ReturnType<typeof remaining>) {
  const pieces = rest.reduce((total, { qty }) => total + qty, 0)
  let open = Math.floor(pieces / 2)
  return rest.flatMap((content) => {
    const qty = Math.min(content.qty, open)
    open -= qty
    return qty > 0 ? [{ ...content, qty }] : []
  })
}

async function countIn(booking: Booking, { order, stock }: OrderStock, contents: ReturnType<typeof remaining>) {
  const found: Moved[] = []
  for (const { stock: id, qty } of contents) {
    const item = stock.get(id)!
    const taken = contents.filter((each) => each.stock === id).reduce((total, each) => total + each.qty, 0)
    const lacking = Math.max(taken, qty) - available(item, order.facility)
    if (lacking <= 0) continue
    const slot = binOf(id, order.facility)
    putIn(item, order.facility, slot, lacking)
    found.push({
      stock: item,
      facility: order.facility,
      slot,
      code: 'COUNT',
      qty: lacking,
      note: 'Cycle count',
      cause: null,
    })
  }
  if (found.length > 0) await enter(booking, found)
}

/** By code or name, out of those the warehouse works with. @throws Refusal 422 */
async function carrierOf(booking: Booking, wanted: string | undefined, usual: Order['service']['carrier']) {
  if (wanted === undefined || wanted === usual.code || wanted === usual.title) return usual
  const services = await booking.findAll('services')
  const found = services.find(({ carrier }) => carrier.code === wanted || carrier.title === wanted)
  if (!found) throw new Refusal(422, `There is no carrier ${wanted}`)
  return found.carrier
}
