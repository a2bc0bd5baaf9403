import { createProduct, updateProduct } from '../../../resources/wms/writes/products.ts'
import { measurementPaths } from '../../../resources/written.ts'
import { write } from '../../write.ts'
import type { Row, TrytonClient } from '../client.ts'
import { goods, type Product } from '../products.ts'
import { toDecimal } from '../values.ts'
import { inTheWay, recordOf, recordsWhere, refused, toId } from './record.ts'

const product = (client: TrytonClient, id: number) => recordOf<Product>(client, goods, id)

export const productWrites = {
  create_product: write(
    createProduct,
    { required: ['sku', 'name'], optional: ['gtin', 'measurements', ...measurementPaths] },
    async (client: TrytonClient, { body }) => {
      const { sku, name, gtin, measurements = {} } = body
      if ((await recordsWhere(client, goods, [['code', '=', sku]])).length > 0) {
        throw inTheWay(`Tryton has a product with the SKU ${sku}`)
      }
      const template = await client.create('product.template', {
        name,
        code: sku,
        type: 'goods',
        default_uom: await unitId(client, 'u'),
        list_price: toDecimal(0),
        cost_price_method: 'fixed',
        ...(await measured(client, measurements)),
        products: [
          [
            'create',
            [{ cost_price: toDecimal(0), ...(gtin && { identifiers: [['create', [{ type: 'ean', code: gtin }]]] }) }],
          ],
        ],
      })
      const [created] = await recordsWhere<Product>(client, goods, [['template', '=', template]])
      return created!
    },
    {
      async find(client, { body }) {
        const { sku, name } = body as { sku: string; name: string }
        const [found] = await recordsWhere<Product>(client, goods, [
          ['code', '=', sku],
          ['name', '=', name],
        ])
        return found ?? null
      },
    },
  ),

  /** Name, SKU and measurements are those of the template, which the variants of a product share. */
  update_product: write(
    updateProduct,
    { optional: ['sku', 'name', 'gtin', 'measurements', ...measurementPaths] },
    async (client: TrytonClient, { id: path, body }) => {
      const { sku, name, gtin, measurements = {} } = body
      const id = toId(path)
      const before = await product(client, id)
      const [{ template } = { template: 0 }] = await client.read<Row & { template: number }>({
        ...goods,
        domain: [['id', '=', id]],
        fields: ['template'],
      })
      const shared = {
        ...(sku !== undefined && { code: sku }),
        ...(name !== undefined && { name }),
        ...(await measured(client, measurements)),
      }
      if (Object.keys(shared).length > 0) {
        const variants = await recordsWhere(client, goods, [['template', '=', template]])
        if (variants.length > 1) throw refused('Tryton keeps this for all variants of the product together')
        if (sku !== undefined && sku !== before.code) {
          const others = await recordsWhere(client, goods, [['code', '=', sku]])
          if (others.length > 0) throw inTheWay(`Tryton has a product with the SKU ${sku}`)
        }
        await client.change('product.template', template, shared)
      }
      if (gtin !== undefined) {
        const identifiers = await client.read<Row>({
          model: 'product.identifier',
          domain: [
            ['product', '=', id],
            ['type', 'in', ['ean', 'isbn']],
          ],
          fields: [],
        })
        await client.change('product.product', id, {
          identifiers: [
            ['delete', identifiers.map((identifier) => identifier.id)],
            ['create', [{ type: 'ean', code: gtin }]],
          ],
        })
      }
      return product(client, id)
    },
    { repeatable: true },
  ),
}

interface Measurements {
  length?: number
  width?: number
  height?: number
  unit?: 'cm' | 'in'
  weight?: number
  weight_unit?: 'kg' | 'oz' | 'lb'
}

/** @throws IntegrationError `rejected` without the module `product_measurements` */
async function measured(client: TrytonClient, { unit = 'cm', weight_unit = 'kg', ...given }: Measurements) {
  const values: Record<string, number> = {}
  for (const name of ['length', 'width', 'height', 'weight'] as const) {
    const value = given[name]
    if (value === undefined) continue
    values[name] = value
    values[`${name}_uom`] = await unitId(client, name === 'weight' ? weight_unit : unit)
  }
  if (Object.keys(values).length > 0 && !(await client.has('product.template', 'weight'))) {
    throw refused('Tryton keeps measurements only with its module product_measurements activated')
  }
  return values
}

/** Symbols are translated; the English ones are the same everywhere. */
async function unitId(client: TrytonClient, symbol: string): Promise<number> {
  const [unit] = await client.read({
    model: 'product.uom',
    domain: [['symbol', '=', symbol]],
    fields: [],
    limit: 1,
    context: { language: 'en' },
  })
  if (!unit) throw refused(`Tryton has no unit of measure ${symbol}`)
  return unit.id
}
