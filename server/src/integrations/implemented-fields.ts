import type { TSchema } from 'typebox'
import type { ReadAction } from './define.ts'

/** The record's outline with true where a field is filled: objects nested, lists of one element, maps under `key`. */
export type ImplementedFields = boolean | [ImplementedFields] | { [field: string]: ImplementedFields }

/**
 * Which fields of its resource an action fills.
 * @throws Error when the action omits a field that its resource does not have
 */
export function implementedFields({ resource, omits = [] }: Pick<ReadAction, 'resource' | 'omits'>): ImplementedFields {
  const known = new Set<string>()
  const outline = outlineOf(resource.answer, '', (path) => {
    known.add(path)
    return !omits.some((omitted) => path === omitted || path.startsWith(`${omitted}.`))
  })
  const unknown = omits.filter((omitted) => !known.has(omitted))
  if (unknown.length > 0) throw new Error(`${resource.readAction} omits unknown fields: ${unknown.join(', ')}`)
  return outline
}

interface Shape {
  properties?: Record<string, TSchema>
  patternProperties?: Record<string, TSchema>
  items?: TSchema
}

/** The element of a list goes by the name of the list. */
function outlineOf(schema: TSchema, path: string, isFilled: (path: string) => boolean): ImplementedFields {
  const { properties, patternProperties, items } = schema as Shape
  const filled = isFilled(path)
  if (items) return [outlineOf(items, path, isFilled)]
  const fields = properties ?? entriesOf(patternProperties)
  if (!fields) return filled
  const outlines = Object.entries(fields).map(([name, field]) => [
    name,
    outlineOf(field, path ? `${path}.${name}` : name, isFilled),
  ])
  return Object.fromEntries(outlines)
}

/** The entries of a map that declares them; a free-form value has no outline. */
function entriesOf(patternProperties: Record<string, TSchema> = {}) {
  const entry = Object.values(patternProperties)[0]
  return entry && Object.keys(entry).length > 0 ? { key: entry } : null
}
