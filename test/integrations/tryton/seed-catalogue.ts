import { decimal, type TrytonClient } from './tryton-client.ts'

/**
 * 940 products of one variant (`SKU-0001` …), 20 of three (`SHIRT-01-S` …) and 40 inactive ones (`OLD-01` …); the first
 * 600 carry an EAN, two of three weigh something, `SKU-0001` to `SKU-0100` are kept in two lots each.
 */
export async function seedCatalogue(admin: TrytonClient) {
  const units = await admin.searchRead<Unit>('product.uom', [], ['symbol'])
  const unitId = (symbol: string) => units.find((unit) => unit.symbol === symbol)!.id
  const terms = {
    type: 'goods',
    default_uom: unitId('u'),
    cost_price_method: 'fixed',
    salable: true,
    sale_uom: unitId('u'),
    purchasable: true,
    purchase_uom: unitId('u'),
  }
  const singles = series(940, (i) => ({
    ...terms,
    name: `Item ${i}`,
    code: `SKU-${digits(i, 4)}`,
    list_price: decimal((5 + (i % 90) + 0.95).toFixed(2)),
    ...(i % 3 !== 0 && { weight: 0.25 + (i % 8) / 4, weight_uom: unitId('kg') }),
    ...(i % 2 === 0 && {
      length: 10 + (i % 40),
      length_uom: unitId('cm'),
      width: 8 + (i % 20),
      width_uom: unitId('cm'),
      height: 2 + (i % 15),
      height_uom: unitId('cm'),
    }),
    products: [['create', [{ cost_price: decimal((2 + (i % 30)).toFixed(4)), identifiers: i <= 600 ? ean(i) : [] }]]],
  }))
  const shirts = series(20, (i) => ({
    ...terms,
    name: `Shirt ${i}`,
    code: `SHIRT-${digits(i, 2)}`,
    list_price: decimal('24.00'),
    weight: 7,
    weight_uom: unitId('oz'),
    products: [['create', ['S', 'M', 'L'].map((size) => ({ suffix_code: `-${size}`, cost_price: decimal('9.50') }))]],
  }))
  const inactive = series(40, (i) => ({
    ...terms,
    name: `Discontinued ${i}`,
    code: `OLD-${digits(i, 2)}`,
    list_price: decimal('1.00'),
    active: false,
    products: [['create', [{ cost_price: decimal('0.50'), active: false }]]],
  }))
  await admin.create('product.template', [...singles, ...shirts, ...inactive])

  const goods = [['type', '=', 'goods']]
  const active = await admin.searchRead<Product>('product.product', goods, ['code'])
  const retired = await admin.searchRead('product.product', [...goods, ['active', '=', false]], [])
  const lotted = active.slice(0, 100)
  const numbers = lotted.flatMap(({ id, code }) =>
    ['A', 'B'].map((batch) => ({ number: `${code}-${batch}`, product: id })),
  )
  const lotIds = await admin.create('stock.lot', numbers)
  return {
    unitId: unitId('u'),
    activeProductIds: active.map(({ id }) => id),
    inactiveProductIds: retired.map(({ id }) => id),
    lots: lotIds.map((id, i) => ({ id, productId: numbers[i]!.product })),
  }
}

type Unit = { id: number; symbol: string }
type Product = { id: number; code: string }

export const series = <Item>(length: number, item: (i: number) => Item) => Array.from({ length }, (_, i) => item(i + 1))

export const digits = (i: number, length: number) => String(i).padStart(length, '0')

/** An EAN-13 with its check digit; Tryton verifies it. */
function ean(i: number) {
  const body = `400${digits(i, 9)}`
  const sum = [...body].reduce((total, digit, place) => total + Number(digit) * (place % 2 ? 3 : 1), 0)
  return [['create', [{ type: 'ean', code: `${body}${(10 - (sum % 10)) % 10}` }]]]
}
