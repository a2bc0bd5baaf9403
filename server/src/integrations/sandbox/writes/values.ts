import type { Static } from 'typebox'
import type { writtenMeasurements } from '../../../resources/written.ts'
import { without } from '../../unused.ts'
import type { WarehouseRequests } from '../requests.ts'

export const toCents = (amount: number) => Math.round(amount * 100)
export const toCentsIfGiven = (amount: number | undefined) => (amount === undefined ? undefined : toCents(amount))

/** What is given of a box; lengths are centimetres and masses kilograms unless they say otherwise. */
export function toBox(
  given: Partial<Static<typeof writtenMeasurements>>,
): NonNullable<WarehouseRequests['changeArticle']['box']> {
  const { length, width, height, unit = 'cm', weight, weight_unit = 'kg' } = given
  const cm = unit === 'in' ? 2.54 : 1
  return {
    ...(length !== undefined && { length_cm: round(length * cm) }),
    ...(width !== undefined && { width_cm: round(width * cm) }),
    ...(height !== undefined && { height_cm: round(height * cm) }),
    ...(weight !== undefined && { mass_g: round(weight * grams[weight_unit]) }),
  }
}

/** A unit says nothing where nothing is measured in it. */
export const unusedUnits = {
  'measurements.unit': without('length', 'width', 'height'),
  'measurements.weight_unit': without('weight'),
}

const grams = { kg: 1000, lb: 453.59237, oz: 28.349523125 }
const round = (value: number) => Math.round(value * 1000) / 1000
