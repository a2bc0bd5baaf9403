import { Type } from 'typebox'

/** Answer of a change of a named thing. */
export const updated = Type.Object({ id: Type.String(), object: Type.String(), updated: Type.Boolean() })

/** Answer of a removal. */
export const deleted = Type.Object({ id: Type.String(), object: Type.String(), deleted: Type.Boolean() })

/** Content type of answers that are JSON text already. */
export const jsonText = 'application/json; charset=utf-8'

/** Answers JSON text as it is. @returns what the handler is to return */
export function asItIs(reply: { type(contentType: string): unknown }, json: string): never {
  reply.type(jsonText)
  return json as never
}

/**
 * A page of a list as JSON text, made by the database.
 * @param items JSON texts with commas between
 * @param nextToken null at the end of the list
 */
export const textPage = (items: string, nextToken: string | null, count: number) =>
  `{"data":[${items}],"next_token":${JSON.stringify(nextToken)},"total_count":${count}}`

/** A list that is always answered in one page. */
export const wholeList = <Item>(data: Item[]) => ({ data, next_token: null, total_count: data.length })
