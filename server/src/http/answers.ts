import { Type } from 'typebox'

/** Answer of a change of a named thing. */
export const updated = Type.Object({ id: Type.String(), object: Type.String(), updated: Type.Boolean() })

/** Answer of a removal. */
export const deleted = Type.Object({ id: Type.String(), object: Type.String(), deleted: Type.Boolean() })

/** Content type of answers that are made JSON text by the database. */
export const jsonText = 'application/json; charset=utf-8'
