import type { ReadAction } from './define.ts'
import { type ImplementedFields, implementedFields } from './implemented-fields.ts'

/**
 * Where the outline of an action does not fit the records it gave, by dot path: fields told to be filled that no record
 * has, and fields told to stay empty that one has. What the service itself adds is left out.
 */
export function untrueFields(action: Pick<ReadAction, 'resource' | 'omits'>, records: readonly unknown[]) {
  const neverFilled: string[] = []
  const filledAllTheSame: string[] = []

  function compare(told: ImplementedFields, values: unknown[], path: string) {
    if (typeof told === 'boolean') {
      const filled = values.some(isFilled)
      if (told && !filled) neverFilled.push(path)
      if (!told && filled) filledAllTheSame.push(path)
    } else if (Array.isArray(told)) {
      compare(told[0], values.flatMap(entriesOf), path)
    } else {
      for (const [name, inner] of Object.entries(told)) {
        const found = name === 'key' ? values.flatMap(entriesOf) : values.map((value) => Object(value)[name])
        compare(inner, found, path ? `${path}.${name}` : name)
      }
    }
  }

  const outline = implementedFields(action) as Record<string, ImplementedFields>
  const own = Object.entries(outline).filter(([name]) => Object.hasOwn(action.resource.fields.properties, name))
  compare(Object.fromEntries(own), [...records], '')
  return { neverFilled, filledAllTheSame }
}

const entriesOf = (value: unknown): unknown[] => Object.values(value ?? {})

const isFilled = (value: unknown) =>
  typeof value === 'object' ? entriesOf(value).some((inner) => inner !== null) : value !== undefined && value !== ''
