import type { Static } from 'typebox'
import { createKit, createProduct, updateKit, updateProduct } from '../../../resources/wms/writes/products.ts'
import { measurementPaths } from '../../../resources/written.ts'
import { always } from '../../unused.ts'
import { write } from '../../write.ts'
import { place, type WarehouseClient } from '../client.ts'
import type { WarehouseRequests } from '../requests.ts'
import { toBox, unusedUnits } from './values.ts'
import { written } from './written.ts'

const parts = ['inventory_items.sku', 'inventory_items.unit_quantity'] as const

export const productWrites = {
  create_product: write(
    createProduct,
    { required: ['sku', 'name'], optional: ['gtin', 'measurements', ...measurementPaths], unused: unusedUnits },
    (warehouse: WarehouseClient, { body, reference }) =>
      warehouse.write<'articles', 'addArticle'>('POST', '/v1/articles', reference, {
        ...articleFields(body),
        sku: body.sku,
        title: body.name,
      }),
    written<'articles'>(),
  ),

  update_product: write(
    updateProduct,
    { optional: ['sku', 'name', 'gtin', 'measurements', ...measurementPaths], unused: unusedUnits },
    (warehouse: WarehouseClient, { id, body, reference }) =>
      warehouse.write<'articles', 'changeArticle'>('PUT', place`/v1/articles/${id}`, reference, articleFields(body)),
    written<'articles'>(),
  ),

  // a kit has no size of its own: it is as large as what it is made of
  create_kit: write(
    createKit,
    {
      required: ['sku', 'name', 'gtin', 'measurements', 'inventory_items', ...parts],
      optional: measurementPaths,
      unused: { measurements: always },
    },
    (warehouse: WarehouseClient, { body, reference }) =>
      warehouse.write<'articles', 'addArticle'>('POST', '/v1/kits', reference, {
        ...articleFields(body),
        sku: body.sku,
        title: body.name,
      }),
    written<'articles'>(),
  ),

  update_kit: write(
    updateKit,
    {
      required: parts,
      optional: ['sku', 'name', 'gtin', 'measurements', 'inventory_items', ...measurementPaths],
      unused: { measurements: always },
    },
    (warehouse: WarehouseClient, { id, body, reference }) =>
      warehouse.write<'articles', 'changeArticle'>('PUT', place`/v1/kits/${id}`, reference, articleFields(body)),
    written<'articles'>(),
  ),
}

type Kit = Static<(typeof updateKit)['body']>

const articleFields = (
  body: Partial<Pick<Kit, 'sku' | 'name' | 'gtin' | 'inventory_items'>> & {
    measurements?: Partial<Kit['measurements']>
  },
): WarehouseRequests['changeArticle'] => ({
  sku: body.sku,
  title: body.name,
  ean: body.gtin,
  box: body.measurements && toBox(body.measurements),
  parts: body.inventory_items?.map(({ sku, unit_quantity }) => ({ sku, qty: unit_quantity })),
})
