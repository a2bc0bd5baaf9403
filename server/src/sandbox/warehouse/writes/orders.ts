import type { Address, Article, Order, OrderLine } from '../../../integrations/sandbox/documents.ts'
import type { WarehouseRequests } from '../../../integrations/sandbox/requests.ts'
import type { Booking } from '../booking.ts'
import { address } from '../generate/premises.ts'
import { Refusal } from '../refusal.ts'
import { fulfil } from './consignments.ts'
import { release, requireOpen, reserve, stockOf } from './order-stock.ts'
import { serviceOf } from './services.ts'
import { available } from './shelves.ts'

type OrderFields = WarehouseRequests['changeOrder']
type Line = NonNullable<OrderFields['lines']>[number]

/** Takes an order and reserves its goods where all of them are; where they are nowhere it waits as a backorder. */
export async function addOrder(booking: Booking, fields: WarehouseRequests['addOrder']): Promise<Order> {
  const lines = await orderLines(booking, fields.lines, [])
  const [number] = await booking.numbers(1)
  const { tax_cents = null, shipping_cents = null } = fields
  const order = booking.add('orders', {
    id: `O${number}`,
    number: fields.number,
    reference: fields.reference ?? null,
    client: lines[0]!.client,
    facility: '',
    state: 'NEW',
    flow: 'B2C',
    channel: await channelOf(booking, fields.channel ?? 'Web Shop', lines[0]!.client),
    buyer: fields.buyer ?? null,
    service: await serviceOf(booking, fields.service),
    service_wish: fields.service_wish ?? null,
    freight_account: null,
    currency: fields.currency ?? 'USD',
    paid_cents: fields.paid_cents ?? priceOf(lines, tax_cents ?? 0, shipping_cents ?? 0),
    tax_cents,
    discount_cents: fields.discount_cents ?? discountOn(lines),
    shipping_cents,
    ship_to: shipTo(fields.ship_to ?? {}, null),
    ship_by: null,
    saturday: false,
    signature: false,
    duties: null,
    labels: [],
    lines: lines.map(({ client: _, ...line }) => line),
    allocations: [],
    consignments: [],
  })
  const held = await stockOf(booking, order)
  const items = [...held.stock.values()]
  const facilities = items[0]!.levels.map(({ facility }) => facility)
  const fits = (facility: string) => items.every((item) => available(item, facility) > 0)
  for (const facility of [...facilities.filter(fits), facilities[0]!]) {
    order.facility = facility
    if (reserve(booking, held)) break
  }
  order.state = order.allocations.length > 0 ? 'ACCEPTED' : 'BACKORDER'
  return order
}

/** Changes an order that is not over. Its lines can change until something of it has left. */
export async function changeOrder(booking: Booking, id: string, fields: OrderFields): Promise<Order> {
  const order = await booking.get('orders', id)
  if (fields.lines || fields.state) requireOpen(order, 'changed')
  Object.assign(order, {
    number: fields.number ?? order.number,
    reference: fields.reference ?? order.reference,
    buyer: fields.buyer ?? order.buyer,
    service_wish: fields.service_wish ?? order.service_wish,
    currency: fields.currency ?? order.currency,
    paid_cents: fields.paid_cents ?? order.paid_cents,
    tax_cents: fields.tax_cents ?? order.tax_cents,
    discount_cents: fields.discount_cents ?? order.discount_cents,
    shipping_cents: fields.shipping_cents ?? order.shipping_cents,
  })
  if (fields.channel) order.channel = await channelOf(booking, fields.channel, order.client)
  if (fields.service) order.service = await serviceOf(booking, fields.service)
  if (fields.ship_to) order.ship_to = shipTo(fields.ship_to, order.ship_to)
  if (fields.lines) await replaceLines(booking, order, fields.lines)
  if (fields.state) await moveTo(booking, order, fields.state)
  return booking.change('orders', order)
}

/** @throws Refusal 400 for an order of which something has left, or that is cancelled */
export async function cancelOrder(booking: Booking, id: string): Promise<Order> {
  const order = await booking.get('orders', id)
  if (['SHIPPED', 'PART_SHIPPED', 'CANCELLED'].includes(order.state)) {
    throw new Refusal(400, `Order ${order.number} is ${order.state} and cannot be cancelled`)
  }
  release(booking, await stockOf(booking, order))
  order.state = 'CANCELLED'
  return booking.change('orders', order)
}

export async function attachFile(booking: Booking, id: string, file: WarehouseRequests['attach']): Promise<Order> {
  const order = await booking.get('orders', id)
  const bytes = file.base64 === undefined ? null : Buffer.byteLength(file.base64, 'base64')
  order.files = [...(order.files ?? []), { name: file.name, bytes, address: file.address ?? null }]
  return booking.change('orders', order)
}

async function replaceLines(booking: Booking, order: Order, wanted: readonly Line[]) {
  if (order.consignments.some(({ state }) => state === 'DISPATCHED')) {
    throw new Refusal(409, `Some of order ${order.number} has left, its lines cannot be changed`)
  }
  const reserved = order.allocations.length > 0
  release(booking, await stockOf(booking, order))
  const lines = await orderLines(booking, wanted, order.lines)
  order.lines = lines.map(({ client: _, ...line }) => line)
  if ((reserved || order.state === 'BACKORDER') && !reserve(booking, await stockOf(booking, order))) {
    order.state = 'BACKORDER'
  } else if (order.state === 'BACKORDER') order.state = 'ACCEPTED'
}

/** Goods are reserved in the states that work on them, and only there. */
async function moveTo(booking: Booking, order: Order, state: string) {
  if (state === 'CANCELLED') return void (await cancelOrder(booking, order.id))
  if (state === 'SHIPPED' || state === 'PART_SHIPPED') {
    return void (await fulfil(booking, order.id, { partial: state === 'PART_SHIPPED' }))
  }
  if (order.consignments.some((consignment) => consignment.state === 'DISPATCHED')) {
    throw new Refusal(409, `Some of order ${order.number} has left, it cannot go back to ${state}`)
  }
  const held = await stockOf(booking, order)
  if (workingStates.has(state)) {
    if (order.allocations.length === 0 && !reserve(booking, held)) {
      throw new Refusal(409, `There is not enough stock for order ${order.number}`)
    }
  } else release(booking, held)
  for (const line of order.lines) line.picked = state === 'PICKED' || state === 'PACKED'
  order.state = state
}

const workingStates = new Set(['ACCEPTED', 'PICKING', 'PICKED', 'PACKED', 'HELD'])

/** A line names its article by id or SKU; one that names none changes the line in the same place. */
async function orderLines(booking: Booking, wanted: readonly Line[], current: readonly OrderLine[]) {
  const ids = wanted.flatMap((line, index) => line.article ?? (line.sku ? [] : (current[index]?.article ?? [])))
  const skus = wanted.flatMap((line) => (line.article === undefined && line.sku !== undefined ? line.sku : []))
  const byId = await booking.find('articles', ids)
  const bySku = new Map(
    skus.length > 0 ? (await booking.findBy('articles', 'sku', skus)).map((article) => [article.sku, article]) : [],
  )
  return wanted.map((line, index) => {
    const before = current[index]
    const article: Article | undefined = line.article
      ? byId.get(line.article)
      : line.sku
        ? bySku.get(line.sku)
        : byId.get(before?.article ?? '')
    const named = line.article ?? line.sku
    if (!article) throw new Refusal(422, named ? `There is no article ${named}` : `Line ${index + 1} names no article`)
    return {
      client: article.client,
      article: article.id,
      sku: article.sku,
      qty: line.qty ?? before?.qty ?? 1,
      price_cents: line.price_cents ?? article.price_cents,
      discount_cents: line.discount_cents ?? null,
      picked: false,
    }
  })
}

/** By name or id; a channel that its merchant does not have yet it has from now on. */
async function channelOf(booking: Booking, wanted: string, client: string): Promise<Order['channel']> {
  await booking.alone(`channel ${client} ${wanted}`)
  const known = [
    ...(await booking.findBy('sales-channels', 'title', [wanted])),
    ...(await booking.findBy('sales-channels', 'id', [wanted])),
  ]
  const channel = known.find((channel) => channel.client === client)
  if (channel) return { id: channel.id, title: channel.title }
  const [number] = await booking.numbers(1)
  const { id, title } = booking.add('sales-channels', { id: `${client}-${number}`, title: wanted, client })
  return { id, title }
}

const shipTo = (fields: NonNullable<OrderFields['ship_to']>, current: Address | null): Address =>
  address({ ...current, ...fields })

type Priced = Pick<OrderLine, 'qty' | 'price_cents' | 'discount_cents'>

/** Null where the price of a line is not known. */
function priceOf(lines: readonly Priced[], tax: number, shipping: number): number | null {
  let goods = 0
  for (const { qty, price_cents, discount_cents } of lines) {
    if (price_cents === null) return null
    goods += qty * (price_cents - (discount_cents ?? 0))
  }
  return Math.max(0, goods) + tax + shipping
}

/** Null where no line tells any. */
const discountOn = (lines: readonly Priced[]): number | null =>
  lines.reduce<number | null>(
    (total, { qty, discount_cents: each }) => (each === null ? total : (total ?? 0) + qty * each),
    null,
  )
