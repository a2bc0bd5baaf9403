import type { Article } from '../../../integrations/sandbox/documents.ts'
import type { WarehouseRequests } from '../../../integrations/sandbox/requests.ts'
import type { Booking } from '../booking.ts'
import { homes } from '../generate/premises.ts'
import { Refusal } from '../refusal.ts'
import { boxOf } from './boxes.ts'

const owner = 'C1'

/** Lists an article and opens an empty shelf for it; a kit is made of what is on other shelves. */
export async function addArticle(
  booking: Booking,
  fields: WarehouseRequests['addArticle'],
  kit: boolean,
): Promise<Article> {
  await requireFreeSku(booking, fields.sku, null)
  const [number] = await booking.numbers(1)
  const stock = `K${number}`
  const parts = kit ? await partsOf(booking, fields.parts ?? []) : [{ stock, sku: fields.sku, qty: 1 }]
  if (!kit) {
    booking.add('stock', {
      id: stock,
      client: owner,
      sku: fields.sku,
      title: fields.title,
      cost_cents: null,
      state: 'LIVE',
      replaced_by: [],
      box: boxOf(fields.box),
      levels: homes(owner).map((facility) => ({ facility, on_hand: 0, allocated: 0, quarantined: 0, expected: 0 })),
      positions: [],
      lots: [],
    })
  }
  return booking.add('articles', {
    id: `A${number}`,
    client: owner,
    sku: fields.sku,
    title: fields.title,
    ean: fields.ean ?? null,
    price_cents: null,
    state: 'LIVE',
    kit,
    parts,
    sourcing: [],
    origin: null,
    hs_code: null,
  })
}

export async function changeArticle(
  booking: Booking,
  id: string,
  fields: WarehouseRequests['changeArticle'],
  kit: boolean,
): Promise<Article> {
  const article = await booking.get('articles', id)
  if (article.kit !== kit) throw new Refusal(404, `There is no ${id} in ${kit ? 'kits' : 'articles without parts'}`)
  if (fields.sku !== undefined && fields.sku !== article.sku) await requireFreeSku(booking, fields.sku, id)
  article.sku = fields.sku ?? article.sku
  article.title = fields.title ?? article.title
  article.ean = fields.ean ?? article.ean
  if (kit && fields.parts) article.parts = await partsOf(booking, fields.parts)
  if (!kit) {
    const item = await booking.get('stock', article.parts[0]!.stock)
    booking.change('stock', { ...item, sku: article.sku, title: article.title, box: boxOf(fields.box, item.box) })
    article.parts[0]!.sku = article.sku
  }
  return booking.change('articles', article)
}

async function requireFreeSku(booking: Booking, sku: string, own: string | null) {
  await booking.alone(`article ${sku}`)
  const others = (await booking.findBy('articles', 'sku', [sku])).filter(({ id }) => id !== own)
  if (others.length > 0) throw new Refusal(409, `There is an article with SKU ${sku} already`)
}

async function partsOf(booking: Booking, wanted: readonly { sku: string; qty: number }[]): Promise<Article['parts']> {
  const items = await stockBySku(
    booking,
    wanted.map(({ sku }) => sku),
  )
  return wanted.map(({ sku, qty }) => ({ stock: items.get(sku)!.id, sku, qty }))
}

/** @throws Refusal 422 for a SKU that is not kept here */
export async function stockBySku(booking: Booking, skus: readonly string[]) {
  const items = new Map((await booking.findBy('stock', 'sku', skus)).map((item) => [item.sku, item]))
  const unknown = skus.find((sku) => !items.has(sku))
  if (unknown !== undefined) throw new Refusal(422, `There is no stock with SKU ${unknown}`)
  return items
}
