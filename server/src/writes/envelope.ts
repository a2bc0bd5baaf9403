import { type TSchema, Type } from 'typebox'
import { text } from '../resources/define.ts'

/** Answer of a write. */
export const envelopeOf = <Data extends TSchema>(data: Data) =>
  Type.Object({
    data,
    id: text,
    unused_fields: Type.Array(text, { description: 'Fields that were accepted and came to nothing, by dot path' }),
  })

/** JSON text of the answer around the JSON text of a record. */
export const envelope = (record: string, id: string, unused: readonly string[]) =>
  `{"data":${record},"id":${JSON.stringify(id)},"unused_fields":${JSON.stringify(unused)}}`
