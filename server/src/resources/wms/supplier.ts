import { Type } from 'typebox'
import { nullable, text, textOrNull } from '../define.ts'

/** Who goods are bought from. */
export const supplier = nullable(Type.Object({ supplier_id: text, supplier_name: textOrNull }))
