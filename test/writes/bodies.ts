import fc from 'fast-check'

/** A JSON Schema as write-info documents have it. */
export interface Schema {
  type?: string | string[]
  enum?: unknown[]
  format?: string
  pattern?: string
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  minItems?: number
  maxItems?: number
  minProperties?: number
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: Schema | false
  items?: Schema
  anyOf?: Schema[]
}

/** Values for fields that name something there has to be, by dot path. */
export type Known = Readonly<Record<string, fc.Arbitrary<unknown>>>

/** Bodies that a schema allows. */
export function validBodies(schema: Schema, known: Known, path = ''): fc.Arbitrary<unknown> {
  const given = known[path]
  if (given) return given
  if (schema.enum) return fc.constantFrom(...schema.enum)
  if (schema.anyOf && !schema.type) return fc.oneof(...schema.anyOf.map((each) => validBodies(each, known, path)))
  const types = [schema.type!].flat()
  const type = types.find((name) => name !== 'null')
  const value = ofType(schema, type!, known, path)
  return types.includes('null') ? fc.oneof({ weight: 4, arbitrary: value }, fc.constant(null)) : value
}

function ofType(schema: Schema, type: string, known: Known, path: string): fc.Arbitrary<unknown> {
  const { minimum = 0, maximum = 1e6 } = schema
  switch (type) {
    case 'boolean':
      return fc.boolean()
    case 'integer':
      return fc.oneof(fc.integer({ min: minimum, max: maximum }), fc.constantFrom(minimum, maximum))
    case 'number':
      return fc.oneof(fc.double({ min: minimum, max: maximum, noNaN: true }), fc.constantFrom(minimum, maximum))
    case 'array': {
      const items = validBodies(schema.items!, known, path)
      return fc.array(items, { minLength: schema.minItems ?? 0, maxLength: 3 })
    }
    case 'object': {
      if (!schema.properties) {
        return fc.tuple(text({ minLength: 1 }), validBodies(schema.additionalProperties as Schema, known)).map(
          // not by assignment: the name may be `__proto__`
          ([name, inner]) => Object.fromEntries([[name, inner]]),
        )
      }
      const fields = Object.entries(schema.properties).map(([name, field]) => {
        const inner = path ? `${path}.${name}` : name
        return [name, validBodies(field, known, inner)] as const
      })
      return fc.record(Object.fromEntries(fields), { requiredKeys: schema.required as never[], noNullPrototype: true })
    }
    default:
      return schema.format === 'date-time' ? instants : text(schema)
  }
}

const instants = fc
  .tuple(
    fc.date({ min: new Date('1970-01-01'), max: new Date('2999-12-31'), noInvalidDate: true }),
    fc.constantFrom('Z', '+05:30', '-11:00', 'z'),
  )
  .map(([date, offset]) => date.toISOString().replace('Z', offset))

function text({ minLength = 0, maxLength = 100, pattern = '' }: Schema): fc.Arbitrary<string> {
  const allowed = new RegExp(pattern, 'u')
  const short = fc.string({ minLength, maxLength: Math.min(maxLength, 30), unit: 'grapheme' })
  const usual = fc.string({ minLength, maxLength: Math.min(maxLength, 12) })
  const longest = fc.constant('x'.repeat(maxLength))
  return fc
    .oneof({ weight: 5, arbitrary: short }, { weight: 5, arbitrary: usual }, longest)
    .filter((value) => allowed.test(value) && !value.includes('\0') && value.isWellFormed())
}

/** Every body that differs from a given one by one fault, or by one change that may be one. */
export function mutants(schema: Schema, body: unknown): unknown[] {
  const found: unknown[] = [[], 'text', 7, null]
  const nullable = [schema.type ?? []].flat().includes('null')
  if (nullable) found.splice(found.indexOf(null), 1)
  if (typeof body === 'string') {
    found.push('', 'None', 'NULL', 'none', 'x'.repeat(1001), 'a\0b', 'not among them')
    if (schema.format) found.push('2026-11-20', '2026-02-30T00:00:00Z', '2026-11-20T08:15:30')
  }
  if (typeof body === 'number') found.push(body + 0.5, -1, 0, 1e12, String(body), true)
  if (Array.isArray(body)) {
    found.push(...(schema.minItems ? [[]] : []), {})
    for (const [index, entry] of body.entries()) {
      for (const other of mutants(schema.items!, entry)) found.push(body.with(index, other))
    }
  } else if (typeof body === 'object' && body !== null) {
    found.push({ ...body, surprise: 1 })
    for (const name of schema.required ?? []) found.push(without(body, name))
    for (const [name, value] of Object.entries(body)) {
      const field = schema.properties?.[name]
      if (field) for (const other of mutants(field, value)) found.push({ ...body, [name]: other })
    }
  }
  return found
}

const without = (body: object, name: string) => Object.fromEntries(Object.entries(body).filter(([key]) => key !== name))
