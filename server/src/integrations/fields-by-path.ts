import type { TSchema } from 'typebox'

export interface BodyField {
  schema: TSchema
  /** Within its own object. */
  required: boolean
}

/** Every field of a body by dot path, parents before what is in them; entries of a list go by the name of the list. */
export function fieldsByPath(body: TSchema): Map<string, BodyField> {
  const fields = new Map<string, BodyField>()
  collect(body as Shape, '', fields)
  return fields
}

function collect({ properties = {}, required = [] }: Shape, prefix: string, fields: Map<string, BodyField>) {
  for (const [name, schema] of Object.entries(properties)) {
    const path = `${prefix}${name}`
    fields.set(path, { schema, required: required.includes(name) })
    const { items } = schema as Shape
    collect((items ?? schema) as Shape, `${path}.`, fields)
  }
}

interface Shape {
  properties?: Record<string, TSchema>
  required?: string[]
  items?: TSchema
}
