import type { SourceRecord } from '../../resources/define.ts'
import type { products } from '../../resources/wms/products.ts'
import type { Article } from './documents.ts'
import { stamp, toMoney } from './values.ts'

export function toProduct(article: Article): SourceRecord<typeof products> {
  const [main] = article.sourcing
  return {
    ...stamp(article),
    warehouse_customer_id: article.client,
    name: article.title,
    sku: article.sku,
    gtin: article.ean,
    unit_price: toMoney(article.price_cents),
    inventory_items: article.parts.map(({ stock, sku, qty }) => ({
      inventory_item_id: stock,
      sku,
      unit_quantity: qty,
    })),
    is_kit: article.kit,
    active: article.state === 'LIVE',
    supplier: main?.vendor_title ?? null,
    supplier_object: main ? { supplier_id: main.vendor, supplier_name: main.vendor_title } : null,
    country_of_origin: article.origin,
    harmonized_code: article.hs_code,
    supplier_products: article.sourcing.map(({ vendor, vendor_title, vendor_code, cost_cents }) => ({
      supplier_id: vendor,
      supplier_name: vendor_title,
      external_id: vendor_code,
      unit_cost: toMoney(cost_cents),
    })),
  }
}
