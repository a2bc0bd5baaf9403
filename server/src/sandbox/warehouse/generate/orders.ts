import type { Address, Article, Order } from '../../../integrations/sandbox/documents.ts'
import type { Item } from './articles.ts'
import type { Calendar } from './calendar.ts'
import { consign } from './consignments.ts'
import { type OrderState, orderStates } from './order-states.ts'
import { address, homes, type Premises, towns } from './premises.ts'
import type { Random } from './random.ts'

const count = 1200
/** Every so many orders go abroad, or have a file. */
const everyAbroad = 40
const everyFiled = 50

/** Orders of a year, oldest first, in every state; in the last days every state occurs at least twice. */
export function takeOrders(
  premises: Premises,
  { items, articles }: { items: Item[]; articles: Article[] },
  calendar: Calendar,
  random: Random,
): Order[] {
  const itemById = new Map(items.map((item) => [item.id, item]))
  let showcase = 0

  return Array.from({ length: count }, (_, index) => {
    const age = 0.05 + 357 * (1 - index / (count - 1)) ** 1.25 + random.next() * 0.1
    const state = age < 10 && showcase < 22 ? orderStates[showcase++ % orderStates.length]! : usualState(age, random)
    const created = calendar.daysAgo(age)
    const isAbroad = index % everyAbroad === 0
    const client = random.pick(premises.clients)
    const flow = random.weighted({ B2C: 80, WHOLESALE: 12, DROPSHIP: 6, INTERCO: 2 })
    const channels = premises.channels.filter((channel) => channel.client === client.id)
    const channel = flow === 'B2C' ? random.pick(channels.slice(0, 2)) : channels[2]!
    const facility = random.pick(homes(client.id))
    const sold = random.pick(premises.services.slice(0, 5))
    const service = flow === 'WHOLESALE' ? premises.services[5]! : sold
    const lines = orderLines(
      articles.filter((article) => article.client === client.id && article.state === 'LIVE'),
      { wholesale: flow === 'WHOLESALE', atLeast: state === 'PART_SHIPPED' ? 2 : 1 },
      random,
    )
    for (const line of lines) line.picked = pickedStates.has(state)

    const goods = lines.reduce((total, line) => total + line.qty * (line.price_cents - line.discount_cents), 0)
    const discount = lines.reduce((total, line) => total + line.qty * line.discount_cents, 0)
    const shipping = flow === 'WHOLESALE' ? 0 : random.int(4, 15) * 100 - 1
    const tax = Math.round(goods * 0.08)
    const number = String(100_001 + index)
    const { consignments, shipped, dispatched } = consign({
      orderId: `O${number}`,
      state,
      facility: premises.facilities.find(({ id }) => id === facility)!,
      service,
      lines,
      dispatchedAt: calendar.after(created, age > 3 ? 0.4 + random.next() * 2 : age * 0.6),
      wholesale: flow === 'WHOLESALE',
      article: (id) => articles.find((article) => article.id === id)!,
      item: (id) => itemById.get(id)!,
      random,
    })

    return {
      id: `O${number}`,
      created,
      modified: dispatched ?? calendar.after(created, state === 'NEW' ? 0 : random.next() * Math.min(age, 3)),
      number,
      reference: random.chance(0.7) ? `WEB-${random.digits(8)}` : null,
      client: client.id,
      facility,
      state,
      flow,
      channel: { id: channel.id, title: channel.title },
      buyer: flow === 'WHOLESALE' ? `Retail Chain ${random.int(1, 3)}` : null,
      service: { id: service.id, title: service.title, carrier: service.carrier },
      service_wish: random.chance(0.4) ? service.title : null,
      freight_account: flow === 'WHOLESALE' && random.chance(0.5) ? random.digits(9) : null,
      currency: 'USD',
      paid_cents: goods + tax + shipping,
      tax_cents: tax,
      discount_cents: discount,
      shipping_cents: shipping,
      ship_to: {
        ...recipient(flow === 'WHOLESALE' ? `Retail Store ${random.int(1, 80)}` : null, number, random),
        ...(isAbroad && foreignTown),
      },
      ship_by: random.chance(0.5) ? calendar.expected(created, 3) : null,
      saturday: random.chance(0.05),
      signature: random.chance(0.1),
      duties: isAbroad ? payers[(index / everyAbroad) % payers.length]! : null,
      labels: [...(random.chance(0.1) ? ['gift'] : []), ...(random.chance(0.1) ? ['priority:high'] : [])],
      lines,
      allocations: allocatedStates.has(state) ? remainder(lines, shipped, articles) : [],
      consignments,
      ...(index % everyFiled === 0 && { files: [{ name: 'packing-slip.pdf', bytes: 48_213, address: null }] }),
    }
  })
}

const foreignTown = { city: 'Toronto', region: 'ON', zip: 'M5V 2T6', country: 'CA' }
const payers = ['SENDER', 'RECIPIENT', 'THIRD_PARTY']

const pickedStates = new Set<string>(['PICKED', 'PACKED', 'SHIPPED', 'PART_SHIPPED'])
const allocatedStates = new Set<string>(['ACCEPTED', 'PICKING', 'PICKED', 'PACKED', 'PART_SHIPPED', 'HELD'])

function usualState(age: number, random: Random): OrderState {
  if (age < 1) return random.weighted({ NEW: 60, ACCEPTED: 40 })
  if (age < 3) return random.weighted({ NEW: 5, ACCEPTED: 15, PICKING: 25, PICKED: 15, PACKED: 15, SHIPPED: 25 })
  if (age < 30) {
    return random.weighted({ SHIPPED: 80, PART_SHIPPED: 6, BACKORDER: 5, HELD: 3, CANCELLED: 4, CUSTOMS_REVIEW: 2 })
  }
  return random.weighted({ SHIPPED: 94, CANCELLED: 5, PART_SHIPPED: 0.5, HELD: 0.5 })
}

function orderLines(
  articles: Article[],
  { wholesale, atLeast }: { wholesale: boolean; atLeast: number },
  random: Random,
) {
  const chosen = new Set(Array.from({ length: random.int(1, wholesale ? 4 : 3) }, () => random.pick(articles)))
  return [...chosen].map(({ id, sku, price_cents }) => ({
    article: id,
    sku,
    qty: wholesale ? random.int(6, 36) : Math.max(atLeast, random.int(1, 3)),
    price_cents: wholesale ? Math.round(price_cents! * 0.6) : price_cents!,
    discount_cents: random.chance(0.15) ? Math.round(price_cents! * 0.1) : 0,
    picked: false,
  }))
}

/** What is ordered and has not left, in stock items. */
function remainder(lines: Order['lines'], shipped: ReadonlyMap<string, number>, articles: Article[]) {
  const open = new Map<string, number>()
  for (const line of lines) {
    const rest = line.qty - (shipped.get(line.article) ?? 0)
    for (const part of articles.find(({ id }) => id === line.article)!.parts) {
      open.set(part.stock, (open.get(part.stock) ?? 0) + rest * part.qty)
    }
  }
  return [...open].filter(([, qty]) => qty > 0).map(([stock, qty]) => ({ stock, qty }))
}

function recipient(company: string | null, number: string, random: Random): Address {
  const [city, region, zip] = random.pick(towns)
  return address({
    name: `Recipient ${number}`,
    company,
    street: `${random.int(1, 999)} ${random.pick(['Main', 'Oak', 'Maple', 'Lake', 'Hill'])} Street`,
    street2: random.chance(0.2) ? `Unit ${random.int(1, 40)}` : null,
    city,
    region,
    zip,
    country: 'US',
    phone: `+1 555 01${random.digits(2)}`,
    email: `recipient-${number}@mail.example`,
  })
}
