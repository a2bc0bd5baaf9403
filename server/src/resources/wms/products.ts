import { Type } from 'typebox'
import {
  amountOrNull,
  defineResource,
  deprecated,
  flag,
  hours,
  integer,
  operators,
  text,
  textOrNull,
} from '../define.ts'
import { supplier } from './supplier.ts'

/** What is sold; a kit is a product made of several pieces of stock. */
export const products = defineResource('wms', 'products', {
  singular: 'product',
  schedule: hours(1),
  tags: true,
  fields: {
    warehouse_customer_id: textOrNull,
    name: text,
    sku: textOrNull,
    gtin: textOrNull,
    unit_price: amountOrNull,
    inventory_items: Type.Array(Type.Object({ inventory_item_id: text, sku: textOrNull, unit_quantity: integer })),
    is_kit: flag,
    active: flag,
    supplier: deprecated(textOrNull),
    supplier_object: supplier,
    country_of_origin: textOrNull,
    harmonized_code: textOrNull,
    supplier_products: Type.Array(
      Type.Object({
        supplier_id: text,
        supplier_name: textOrNull,
        external_id: textOrNull,
        unit_cost: amountOrNull,
      }),
    ),
    external_system_url: textOrNull,
  },
  filters: { warehouse_customer_id: operators.text, sku: operators.sku },
})
