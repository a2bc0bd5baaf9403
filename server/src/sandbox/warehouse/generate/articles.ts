import type { Article, Box } from '../../../integrations/sandbox/documents.ts'
import type { Calendar } from './calendar.ts'
import { type Premises, ranges } from './premises.ts'
import type { Random } from './random.ts'

/** A box of which every side is known. */
type Measured = Record<keyof Box, number>

/** A stock item before it has any quantity. */
export interface Item {
  id: string
  client: string
  sku: string
  title: string
  created: string
  cost_cents: number
  active: boolean
  /** Kept by lot, with a best-before date. */
  perishable: boolean
  box: Measured
}

/** About 80 articles: one for every stock item, and two kits per merchant. */
export function assortment({ clients, vendors }: Premises, calendar: Calendar, random: Random) {
  const items: Item[] = []
  const articles: Article[] = []

  for (const [index, client] of clients.entries()) {
    const range = ranges[index]!
    const suppliers = vendors.filter((vendor) => vendor.client === client.id)
    const article = (sku: string, title: string, cents: number, parts: Article['parts'], active: boolean) => {
      const created = calendar.daysAgo(random.int(390, 399))
      const vendor = random.pick(suppliers)
      articles.push({
        id: `A${articles.length + 1001}`,
        created,
        modified: active ? created : calendar.daysAgo(random.int(5, 60)),
        client: client.id,
        sku,
        title,
        ean: withCheckDigit(`40${random.digits(10)}`),
        price_cents: cents,
        state: active ? 'LIVE' : 'RETIRED',
        kit: parts.length > 1,
        parts,
        sourcing: [
          {
            vendor: vendor.id,
            vendor_title: vendor.title,
            vendor_code: `${sku}-X`,
            cost_cents: Math.round(cents * 0.4),
          },
        ],
        origin: random.pick(['US', 'MX', 'VN', 'DE']),
        hs_code: `${random.int(10, 96)}${random.digits(4)}`,
      })
      return created
    }

    for (const noun of range.nouns) {
      for (const variant of range.variants) {
        const sku = `${range.prefix}-${initials(noun)}-${initials(variant)}`
        const title = `${noun} ${variant}`
        const price = random.int(6, 120) * 100 - 1
        const active = items.length % 12 !== 7
        const id = `K${items.length + 5001}`
        const created = article(sku, title, price, [{ stock: id, sku, qty: 1 }], active)
        const perishable = range.prefix === 'NAT' || /Food|Treats/.test(noun)
        const cost_cents = Math.round(price * 0.4)
        items.push({ id, client: client.id, sku, title, created, cost_cents, active, perishable, box: box(random) })
      }
    }

    const choices = items.filter((item) => item.client === client.id && item.active)
    for (const [kit, size] of [2, 3].entries()) {
      const parts = choices
        .filter((_, position) => position % 3 === kit)
        .slice(0, size)
        .map(({ id, sku }, position) => ({ stock: id, sku, qty: position === 0 ? 2 : 1 }))
      article(`${range.prefix}-KIT-${kit + 1}`, `${range.title} Kit ${kit + 1}`, 4999 + kit * 5000, parts, true)
    }
  }
  return { items, articles }
}

function box(random: Random): Measured {
  return {
    length_cm: random.int(10, 60),
    width_cm: random.int(8, 40),
    height_cm: random.int(2, 30),
    mass_g: random.int(5, 400) * 10,
  }
}

const initials = (words: string) =>
  words
    .split(' ')
    .map((word) => word.slice(0, 3).toUpperCase())
    .join('')

/** EAN-13 out of its first twelve digits. */
function withCheckDigit(digits: string): string {
  const sum = [...digits].reduce((total, digit, index) => total + Number(digit) * (index % 2 ? 3 : 1), 0)
  return digits + ((10 - (sum % 10)) % 10)
}
