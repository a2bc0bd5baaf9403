interface Shape {
  type?: string | string[]
  const?: unknown
  enum?: unknown[]
  format?: string
  properties?: Record<string, Shape>
  items?: Shape
  anyOf?: Shape[]
}

/** A value that keeps to a JSON Schema: every declared field present, lists with one item, no nulls. */
export function exampleOf(schema: object, name = 'value'): unknown {
  const shape = schema as Shape
  if (shape.const !== undefined) return shape.const
  if (shape.enum) return shape.enum[0]
  if (shape.anyOf) return exampleOf(shape.anyOf[0]!, name)
  switch ([shape.type ?? []].flat().find((type) => type !== 'null')) {
    case 'object': {
      const fields = Object.entries(shape.properties ?? {})
      return Object.fromEntries(fields.map(([field, inner]) => [field, exampleOf(inner, field)]))
    }
    case 'array':
      return shape.items ? [exampleOf(shape.items, name)] : []
    case 'integer':
      return 1
    case 'number':
      return 12.5
    case 'boolean':
      return true
    case 'string':
      return shape.format === 'date-time' ? '2026-11-20T08:15:30.123Z' : `${name.replaceAll('_', '-')}-1`
    default:
      return null
  }
}
