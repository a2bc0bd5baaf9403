import type { SourceRecord } from '../../resources/define.ts'
import type { products } from '../../resources/wms/products.ts'
import { type Source, withArchived } from './changes.ts'
import { type Dated, stamp } from './stamps.ts'

/** A variant of a template, which holds its name and prices; archived ones too. */
export const goods = {
  model: 'product.product',
  domain: [['type', '=', 'goods']],
  context: withArchived,
  fields: [
    'code',
    'name',
    'active',
    'list_price',
    ...['type', 'code', 'create_date', 'write_date'].map((name) => `identifiers.${name}`),
    ...['party', 'party.name', 'code'].map((name) => `product_suppliers.${name}`),
    'template.create_date',
    'template.write_date',
    'create_date',
    'write_date',
  ],
  parts: ['template', 'identifiers'],
  pageSize: 500,
} satisfies Source

export interface Product extends Dated {
  id: number
  code: string | null
  name: string
  active: boolean | number
  list_price: number | null
  'identifiers.': (Dated & { type: string | null; code: string })[]
  'product_suppliers.'?: Supply[]
  'template.': Dated
}

/** Only there with the module `purchase`. */
interface Supply {
  party: number
  'party.': { name: string }
  code: string | null
}

export function toProduct(product: Product): SourceRecord<typeof products> {
  const supplies = product['product_suppliers.'] ?? []
  const [main] = supplies
  const id = String(product.id)
  const sku = product.code || null
  return {
    ...stamp(product, [product['template.'], ...product['identifiers.']]),
    name: product.name,
    sku,
    gtin: product['identifiers.'].find(({ type }) => type !== null && gtinTypes.has(type))?.code ?? null,
    unit_price: product.list_price,
    inventory_items: [{ inventory_item_id: id, sku, unit_quantity: 1 }],
    is_kit: false,
    active: Boolean(product.active),
    supplier: main?.['party.'].name ?? null,
    supplier_object: main ? { supplier_id: String(main.party), supplier_name: main['party.'].name } : null,
    supplier_products: supplies.map((supply) => ({
      supplier_id: String(supply.party),
      supplier_name: supply['party.'].name,
      external_id: supply.code || null,
    })),
  }
}

const gtinTypes = new Set(['ean', 'isbn'])
