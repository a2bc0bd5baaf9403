import type { Static } from 'typebox'
import type { writtenMeasurements } from '../../../resources/written.ts'
import type { Box } from '../documents.ts'

export const toCents = (amount: number) => Math.round(amount * 100)
export const toCentsIfGiven = (amount: number | undefined) => (amount === undefined ? undefined : toCents(amount))

/** What is not given counts as nothing; lengths are centimetres and masses kilograms unless they say otherwise. */
export function toBox(given: Partial<Static<typeof writtenMeasurements>>): Box {
  const { length = 0, width = 0, height = 0, unit = 'cm', weight = 0, weight_unit = 'kg' } = given
  const cm = unit === 'in' ? 2.54 : 1
  return {
    length_cm: round(length * cm),
    width_cm: round(width * cm),
    height_cm: round(height * cm),
    mass_g: round(weight * grams[weight_unit]),
  }
}

const grams = { kg: 1000, lb: 453.59237, oz: 28.349523125 }
const round = (value: number) => Math.round(value * 1000) / 1000
