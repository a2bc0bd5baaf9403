export interface Measured {
  length: number | null
  width: number | null
  height: number | null
  weight: number | null
  'length_uom.': Unit
  'width_uom.': Unit
  'height_uom.': Unit
  'weight_uom.': Unit
}

type Unit = { symbol: string } | null

/** Only there with the module `product_measurements`. */
export const measurementFields = ['length', 'width', 'height', 'weight'].flatMap((name) => [name, `${name}_uom.symbol`])

/** Tryton keeps each side in a unit of its own: inches where all are, else centimetres; pounds, ounces, else kilograms. */
export function toMeasurements(product: Partial<Measured>) {
  const sides = (['length', 'width', 'height'] as const).map((name) => ({
    value: product[name] ?? null,
    unit: product[`${name}_uom.`]?.symbol ?? '',
  }))
  const filled = sides.filter(({ value }) => value !== null)
  const unit = filled.length > 0 && filled.every((side) => side.unit === 'in') ? 'in' : 'cm'
  const [length, width, height] = sides.map((side) =>
    converted(side.value, side.unit === unit ? 1 : centimetres[side.unit]),
  )
  const weightUnit = product['weight_uom.']?.symbol ?? ''
  const [weight, weight_unit] = imperial(weightUnit)
    ? [product.weight ?? null, weightUnit]
    : [converted(product.weight ?? null, kilograms[weightUnit]), 'kg' as const]
  return {
    length,
    width,
    height,
    unit: filled.length > 0 ? unit : null,
    weight,
    weight_unit: weight === null ? null : weight_unit,
  } as const
}

const imperial = (unit: string): unit is 'oz' | 'lb' => unit === 'oz' || unit === 'lb'

/** Null where the unit is none that is known. */
const converted = (value: number | null | undefined, factor: number | undefined) =>
  value === null || value === undefined || factor === undefined ? null : Math.round(value * factor * 1e6) / 1e6

const centimetres: Readonly<Record<string, number>> = {
  mm: 0.1,
  cm: 1,
  m: 100,
  km: 100_000,
  in: 2.54,
  ft: 30.48,
  yd: 91.44,
}

const kilograms: Readonly<Record<string, number>> = { mg: 1e-6, g: 0.001, kg: 1, t: 1000, carat: 0.0002 }
