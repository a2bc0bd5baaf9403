import type { Page, PageRequest } from '../define.ts'
import { allPage } from './changes.ts'
import type { Row, TrytonClient } from './client.ts'
import { type Stock, type StockedProduct, type StockLevel, stockedProductFields } from './inventory.ts'
import { type Location, locationSource, type Warehouse, warehouseSource } from './premises.ts'
import { goods } from './products.ts'

/**
 * The stock of a page of products. Tryton sums quantities over the locations it is asked for, so there is one question
 * per warehouse and figure, and one per location, asked once for all products. Left without a last day, it counts until
 * its own today.
 */
export async function stockPage(client: TrytonClient, { cursor }: Pick<PageRequest, 'cursor'>): Promise<Page<Stock>> {
  if (cursor === null) buildings.delete(client)
  const building = await openBuilding(client)
  const { items, next } = await allPage<StockedProduct>(client, { ...goods, fields: stockedProductFields }, { cursor })
  const first = items[0]
  if (!first) return { items: [], next: null }
  return { items: await stockOf(client, items, building), next }
}

/** The stock of one product; null where there is no such product. */
export async function productStock(client: TrytonClient, id: number): Promise<Stock | null> {
  const products = await client.read<StockedProduct>({
    ...goods,
    fields: stockedProductFields,
    domain: [...goods.domain, ['id', '=', id]],
  })
  if (products.length === 0) return null
  const warehouses = await client.read<Warehouse>(warehouseSource)
  const { model, domain = [], fields } = locationSource(warehouses)
  const locations = await client.read<Location & Quantity>({
    model,
    domain: [...domain, ['type', '=', 'storage']],
    fields: [...fields, 'quantity'],
    context: { product: id, with_childs: false },
  })
  const held = locations.filter(({ quantity }) => quantity !== 0)
  const places = held.map(({ id: location, warehouse, quantity }) => ({ location, warehouse, quantity }))
  const [stock] = await stockOf(client, products, { warehouses, contents: new Map([[id, places]]) })
  return stock!
}

/** @param products in the order of their ids */
async function stockOf(
  client: TrytonClient,
  products: readonly StockedProduct[],
  { warehouses, contents }: Building,
): Promise<Stock[]> {
  const among: Among = [products[0]!.id, products.at(-1)!.id]
  const levels = new Map<number, StockLevel[]>()
  const lots = new Map<number, Stock['lots']>()
  for (const warehouse of warehouses) {
    const quantity = await readQuantities(client, among, warehouse.id)
    const unreserved = await readQuantities(client, among, warehouse.id, { stock_assign: true })
    const assignable = await readQuantities(client, among, warehouse.storage_location, { stock_assign: true })
    const incoming = await readIncoming(client, among, warehouse.id)
    for (const { id } of products) {
      const at = (figures: Quantities) => figures.get(id) ?? 0
      entries(levels, id).push({
        warehouse: warehouse.id,
        quantity: at(quantity),
        unreserved: at(unreserved),
        assignable: at(assignable),
        incoming: at(incoming),
      })
    }
    for (const { product, number, quantity } of await readLots(client, among, warehouse.id)) {
      entries(lots, product).push({ number, warehouse: warehouse.id, quantity })
    }
  }
  return products.map((product) => ({
    product,
    levels: levels.get(product.id) ?? [],
    lots: lots.get(product.id) ?? [],
    locations: contents.get(product.id) ?? [],
  }))
}

/** The first and last id of a page of products. */
type Among = readonly [number, number]
type Quantities = Map<number, number>

/** Warehouses, and what lies in each of their locations, by product. */
interface Building {
  warehouses: Warehouse[]
  contents: Map<number, Stock['locations']>
}

/** Each crawl has a client of its own. */
const buildings = new WeakMap<TrytonClient, Building>()

async function openBuilding(client: TrytonClient): Promise<Building> {
  const kept = buildings.get(client)
  if (kept) return kept
  const warehouses = await client.read<Warehouse>(warehouseSource)
  const contents: Building['contents'] = new Map()
  const locations = await client.read<Location>(locationSource(warehouses))
  for (const { id, warehouse } of locations.filter(({ type }) => type === 'storage')) {
    const found = await client.read<Quantity>({
      model: goods.model,
      domain: [...goods.domain, ['quantity', '!=', 0]],
      fields: ['quantity'],
      context: { ...goods.context, locations: [id], with_childs: false },
    })
    for (const { id: product, quantity } of found)
      entries(contents, product).push({ location: id, warehouse, quantity })
  }
  const building = { warehouses, contents }
  buildings.set(client, building)
  return building
}

interface Quantity extends Row {
  quantity: number
}

/** @param location a warehouse stands for all of its zones */
async function readQuantities(
  client: TrytonClient,
  [first, last]: Among,
  location: number,
  context: Record<string, unknown> = {},
): Promise<Quantities> {
  const found = await client.read<Quantity>({
    model: goods.model,
    domain: [...goods.domain, ['id', '>=', first], ['id', '<=', last]],
    fields: ['quantity'],
    context: { ...goods.context, locations: [location], with_childs: true, ...context },
  })
  return new Map(found.map(({ id, quantity }) => [id, quantity]))
}

/**
 * What pending moves bring into a warehouse from outside: of suppliers, of customers, of another warehouse. Tryton's own
 * forecast is no help, since it takes late arrivals for lost.
 */
async function readIncoming(client: TrytonClient, [first, last]: Among, warehouse: number): Promise<Quantities> {
  const moves = await client.read<Row & { product: number; internal_quantity: number }>({
    model: 'stock.move',
    domain: [
      ['state', 'in', ['draft', 'assigned']],
      ['to_location', 'child_of', [warehouse], 'parent'],
      ['from_location', 'not child_of', [warehouse], 'parent'],
      ['product.id', '>=', first],
      ['product.id', '<=', last],
    ],
    fields: ['product', 'internal_quantity'],
  })
  const incoming: Quantities = new Map()
  for (const { product, internal_quantity } of moves) {
    incoming.set(product, (incoming.get(product) ?? 0) + internal_quantity)
  }
  return incoming
}

/** None without the module `stock_lot`. */
async function readLots(client: TrytonClient, [first, last]: Among, warehouse: number) {
  if (!(await client.has('stock.move', 'lot'))) return []
  return client.read<Quantity & { number: string; product: number }>({
    model: 'stock.lot',
    domain: [
      ['product.id', '>=', first],
      ['product.id', '<=', last],
    ],
    fields: ['number', 'product', 'quantity'],
    context: { locations: [warehouse], with_childs: true },
  })
}

function entries<Entry>(map: Map<number, Entry[]>, product: number): Entry[] {
  const kept = map.get(product)
  if (kept) return kept
  const made: Entry[] = []
  map.set(product, made)
  return made
}
