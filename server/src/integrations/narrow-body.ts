import { type TObject, type TSchema, Type } from 'typebox'

/** Which fields of a write an integration takes, by dot path. */
export interface TakenFields {
  readonly title: string
  readonly required: readonly string[]
  readonly optional: readonly string[]
  /** Fields that only this integration has. */
  readonly specific: Readonly<Record<string, TSchema>>
}

/**
 * Narrows a body to the fields an integration takes and adds its own. Every object has a title, its required fields in
 * the order of the alphabet, and takes no others.
 * @throws Error for a path the body does not have, and for a field whose parent is not taken
 */
export function narrowBody(body: TObject, fields: TakenFields): TObject {
  const required = new Set(fields.required)
  const taken = new Set([...fields.required, ...fields.optional])
  const left = new Set([...taken, ...Object.keys(fields.specific)])

  function narrowed(schema: Shape, title: string, prefix: string): TObject {
    const properties: Record<string, TSchema> = {}
    for (const [name, field] of Object.entries(schema.properties ?? {})) {
      const path = `${prefix}${name}`
      if (taken.has(path)) properties[name] = inner(field, `${title}${pascal(name)}`, path)
    }
    for (const [path, field] of Object.entries(fields.specific)) {
      if (path.startsWith(prefix) && !path.slice(prefix.length).includes('.')) {
        properties[path.slice(prefix.length)] = inner(field, `${title}${pascal(path)}`, path)
      }
    }
    const names = Object.keys(properties)
    for (const name of names) left.delete(`${prefix}${name}`)
    const { properties: _, required: __, ...annotations } = schema as TObject
    return Type.Unsafe<never>({
      ...annotations,
      type: 'object',
      title,
      properties,
      required: names.filter((name) => required.has(`${prefix}${name}`)).sort(),
      additionalProperties: false,
    }) as unknown as TObject
  }

  function inner(field: TSchema, title: string, path: string): TSchema {
    const shape = field as Shape
    if (shape.properties) return narrowed(shape, title, `${path}.`)
    if (!shape.items) return field
    return { ...field, items: inner(shape.items, title.replace(/s$/, ''), path) }
  }

  const result = narrowed(body as Shape, fields.title, '')
  if (left.size > 0) throw new Error(`${fields.title} has no such fields: ${[...left].join(', ')}`)
  return result
}

/** `create_order` → `CreateOrder`. */
export const pascal = (name: string) =>
  name.replace(/(?:^|[._])(\w)/g, (_, letter: string) => letter.toUpperCase()).replaceAll('.', '')

interface Shape {
  properties?: Record<string, TSchema>
  items?: TSchema
}
