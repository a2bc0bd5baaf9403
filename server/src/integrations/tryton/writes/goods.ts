import type { Domain, Row, TrytonClient } from '../client.ts'
import { goods } from '../products.ts'
import { refused } from './record.ts'

export interface Item extends Row {
  code: string | null
  list_price: number | null
  cost_price: number | null
  default_uom: number
}

/** Active products by SKU. @throws IntegrationError `rejected` for a SKU that none or several have */
export async function itemsBySku(client: TrytonClient, skus: readonly string[]): Promise<(sku: string) => Item> {
  const found = Map.groupBy(await itemsWhere(client, [['code', 'in', [...new Set(skus)]]]), ({ code }) => code)
  for (const sku of skus) {
    const count = found.get(sku)?.length ?? 0
    if (count === 0) throw refused(`Tryton has no active product with the SKU ${sku}`)
    if (count > 1) throw refused(`Tryton has several active products with the SKU ${sku}`)
  }
  return (sku) => found.get(sku)![0]!
}

/** Active products by id. @throws IntegrationError `rejected` for one that is not there */
export async function itemsById(client: TrytonClient, ids: readonly string[]): Promise<(id: string) => Item> {
  const numbers = ids.filter((id) => /^[1-9]\d{0,8}$/.test(id)).map(Number)
  const found = new Map((await itemsWhere(client, [['id', 'in', numbers]])).map((item) => [String(item.id), item]))
  for (const id of ids) if (!found.has(id)) throw refused(`Tryton has no active product ${id}`)
  return (id) => found.get(id)!
}

const itemsWhere = (client: TrytonClient, domain: Domain) =>
  client.read<Item>({
    model: goods.model,
    domain: [...goods.domain, ...domain],
    fields: ['code', 'list_price', 'cost_price', 'default_uom'],
  })
