import { Type } from 'typebox'
import { amountOrNull, nullable, oneOf } from './define.ts'

/** Size and weight of one piece, each in its own unit. */
export const measurements = Type.Object({
  length: amountOrNull,
  width: amountOrNull,
  height: amountOrNull,
  unit: nullable(oneOf('cm', 'in')),
  weight: amountOrNull,
  weight_unit: nullable(oneOf('kg', 'oz', 'lb')),
})
