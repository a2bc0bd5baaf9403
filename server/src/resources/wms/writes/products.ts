import { Type } from 'typebox'
import { defineWrite } from '../../define-write.ts'
import { writtenMeasurements, writtenQuantity, writtenText } from '../../written.ts'
import { products } from '../products.ts'

const fields = {
  sku: writtenText('Stock keeping unit', 'OUT-TEN-XL'),
  name: writtenText('What it is called', 'Tent Extra Large'),
  gtin: writtenText('UPC, EAN or ISBN', '4006381333931'),
  measurements: writtenMeasurements,
}

const kitFields = {
  ...fields,
  inventory_items: Type.Array(
    Type.Object({
      sku: writtenText('SKU of the stock it is made of', 'OUT-TEN-SMA'),
      unit_quantity: writtenQuantity('Pieces in one kit', 2),
    }),
    { minItems: 1, maxItems: 100, description: 'What the kit is made of' },
  ),
}

export const createProduct = defineWrite({
  action: 'create_product',
  resource: products,
  method: 'POST',
  path: '/wms/products',
  summary: 'Create a product',
  tags: true,
  fields,
})

export const updateProduct = defineWrite({
  action: 'update_product',
  resource: products,
  method: 'PUT',
  path: '/wms/products/:product_id',
  summary: 'Change a product',
  tags: true,
  fields,
})

export const createKit = defineWrite({
  action: 'create_kit',
  resource: products,
  method: 'POST',
  path: '/wms/kits',
  summary: 'Create a kit',
  tags: true,
  fields: kitFields,
})

export const updateKit = defineWrite({
  action: 'update_kit',
  resource: products,
  method: 'PUT',
  path: '/wms/kits/:kit_id',
  summary: 'Change a kit',
  tags: true,
  fields: kitFields,
})
