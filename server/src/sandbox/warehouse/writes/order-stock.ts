import type { Article, Order, ParcelContent, Stock } from '../../../integrations/sandbox/documents.ts'
import type { Booking } from '../booking.ts'
import { Refusal } from '../refusal.ts'
import { available, levelAt } from './shelves.ts'

/** What an order needs and holds of the stock. */
export interface OrderStock {
  order: Order
  articles: Map<string, Article>
  stock: Map<string, Stock>
}

/** Takes the articles of an order and all stock they are made of. */
export async function stockOf(booking: Booking, order: Order): Promise<OrderStock> {
  const articles = await booking.find(
    'articles',
    order.lines.map(({ article }) => article),
  )
  const parts = [...articles.values()].flatMap((article) => article.parts.map(({ stock }) => stock))
  const held = order.allocations.map(({ stock }) => stock)
  return { order, articles, stock: await booking.find('stock', [...parts, ...held]) }
}

/** What of each line has not left yet, in stock items. */
export function remaining({ order, articles }: OrderStock): Omit<ParcelContent, 'lot' | 'best_before'>[] {
  const shipped = new Map<string, number>()
  for (const { state, parcels } of order.consignments) {
    if (state !== 'DISPATCHED') continue
    for (const { stock, kit, qty } of parcels.flatMap(({ contents }) => contents)) {
      shipped.set(`${stock} ${kit}`, (shipped.get(`${stock} ${kit}`) ?? 0) + qty)
    }
  }
  return order.lines.flatMap((line) => {
    const article = articles.get(line.article)!
    return article.parts.flatMap(({ stock, sku, qty }) => {
      const kit = article.kit ? article.id : null
      const done = Math.min(shipped.get(`${stock} ${kit}`) ?? 0, line.qty * qty)
      shipped.set(`${stock} ${kit}`, (shipped.get(`${stock} ${kit}`) ?? 0) - done)
      const left = line.qty * qty - done
      return left > 0 ? [{ stock, sku, qty: left, kit }] : []
    })
  })
}

/** Gives back what is reserved for an order. */
export function release(booking: Booking, { order, stock }: OrderStock): void {
  for (const { stock: id, qty } of order.allocations) {
    const item = stock.get(id)
    if (!item) continue
    levelAt(item, order.facility).allocated -= qty
    booking.change('stock', item)
  }
  order.allocations = []
}

/** Reserves what has not left yet, all of it or nothing. @returns whether it could */
export function reserve(booking: Booking, held: OrderStock): boolean {
  const needs = sumByStock(remaining(held))
  const { order, stock } = held
  for (const [id, qty] of needs) if (available(stock.get(id)!, order.facility) < qty) return false
  for (const [id, qty] of needs) {
    levelAt(stock.get(id)!, order.facility).allocated += qty
    booking.change('stock', stock.get(id)!)
  }
  order.allocations = [...needs].map(([stock, qty]) => ({ stock, qty }))
  return true
}

export function sumByStock(contents: readonly { stock: string; qty: number }[]): Map<string, number> {
  const sums = new Map<string, number>()
  for (const { stock, qty } of contents) sums.set(stock, (sums.get(stock) ?? 0) + qty)
  return sums
}

/** @throws Refusal 409 for an order that is over */
export function requireOpen(order: Order, doing: string): void {
  if (order.state === 'SHIPPED' || order.state === 'CANCELLED') {
    throw new Refusal(409, `Order ${order.number} is ${order.state} and cannot be ${doing}`)
  }
}
