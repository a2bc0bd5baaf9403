import type { TSchema } from 'typebox'
import type { RecordOf, Resource, SourceRecord } from './define.ts'
import { canonicalTimestamp } from './timestamp.ts'

/**
 * Makes the function that turns a record as an integration supplies it into the record as it is kept: every declared
 * field present and in the order of its declaration, keys of maps and free-form values sorted, timestamps in UTC,
 * undeclared fields dropped. Equal records have equal JSON. It throws a `RecordFault` where a value is missing or not
 * what its declaration says.
 */
export function completer<R extends Resource>(resource: R): (source: SourceRecord<R>) => RecordOf<R> {
  return partOf(resource.fields).complete as (source: SourceRecord<R>) => RecordOf<R>
}

/** A record that does not keep to its declaration. The message names no value except numbers and statuses. */
export class RecordFault extends Error {
  /** Where, as in `line_items.1.quantity`; empty for the record itself. */
  readonly path: string
  /** What is wrong there, as in `is missing`. */
  readonly problem: string

  constructor(path: string, problem: string) {
    super(`${path || 'the record'} ${problem}`)
    this.name = 'RecordFault'
    this.path = path
    this.problem = problem
  }
}

/** One schema, compiled. */
interface Part {
  readonly nullable: boolean
  /** What stands for a value that was left out. */
  empty(): unknown
  /** Takes anything but null and undefined. */
  complete(value: unknown): unknown
}

interface Shape {
  type?: string | string[]
  enum?: unknown[]
  format?: string
  properties?: Record<string, TSchema>
  patternProperties?: Record<string, TSchema>
  items?: TSchema
}

function partOf(schema: TSchema): Part {
  const shape = schema as Shape
  const types = [shape.type ?? []].flat()
  const nullable = types.includes('null')
  const type = types.find((name) => name !== 'null')
  if (type === undefined) return { nullable: true, empty: () => null, complete: sorted }
  if (type === 'array') return { nullable, empty: () => [], complete: list(partOf(shape.items!)) }
  if (type === 'object' && shape.properties) return { nullable, ...object(shape.properties) }
  if (type === 'object') {
    const complete = map(partOf(Object.values(shape.patternProperties!)[0]!))
    return { nullable, empty: () => ({}), complete }
  }
  return { nullable, empty: missing, complete: scalar(type, shape) }
}

function object(properties: Record<string, TSchema>): Pick<Part, 'empty' | 'complete'> {
  const fields = Object.entries(properties).map(([name, schema]) => ({ name, ...partOf(schema) }))
  // copying a whole object is several times faster than adding its fields one by one
  const blank: Record<string, unknown> = Object.fromEntries(fields.map(({ name }) => [name, null]))
  const complete = (value: unknown) => {
    if (!isObject(value)) throw misfit('an object', value)
    const record = { ...blank }
    let at = 0
    try {
      for (; at < fields.length; at++) {
        const field = fields[at]!
        const given = value[field.name]
        if (given !== undefined && given !== null) record[field.name] = field.complete(given)
        else if (!field.nullable) record[field.name] = field.empty()
      }
    } catch (error) {
      throw within(fields[at]!.name, error)
    }
    return record
  }
  const allNullable = fields.every(({ nullable }) => nullable)
  return { complete, empty: allNullable ? () => ({ ...blank }) : () => complete({}) }
}

function list(item: Part): Part['complete'] {
  return (value) => {
    if (!Array.isArray(value)) throw misfit('a list', value)
    const items: unknown[] = []
    let at = 0
    try {
      for (; at < value.length; at++) items.push(element(item, value[at]))
    } catch (error) {
      throw within(String(at), error)
    }
    return items
  }
}

function map(item: Part): Part['complete'] {
  return (value) => {
    if (!isObject(value)) throw misfit('an object', value)
    const entry = (key: string): [string, unknown] => {
      try {
        return [key, element(item, value[key])]
      } catch (error) {
        throw within(key, error)
      }
    }
    // not by assignment: a key of the source may be `__proto__`
    return Object.fromEntries(keysOf(value).map(entry))
  }
}

function element(part: Part, value: unknown) {
  if (value !== undefined && value !== null) return part.complete(value)
  return part.nullable ? null : missing()
}

function scalar(type: string, { enum: values, format }: Shape): Part['complete'] {
  if (values) {
    const allowed = new Set(values)
    const expected = `one of ${values.filter((value) => value !== null).join(', ')}`
    return (value) => {
      if (!allowed.has(value)) throw misfit(expected, value, true)
      return value
    }
  }
  if (format === 'date-time') {
    return (value) => {
      const timestamp = canonicalTimestamp(value)
      if (timestamp === null) throw misfit('an ISO 8601 timestamp with an offset', value)
      return timestamp
    }
  }
  const check = checks[type]
  if (!check) throw new TypeError(`A record cannot hold a value of type ${type}`)
  return check
}

const checks: Record<string, Part['complete']> = {
  string: (value) => {
    if (typeof value !== 'string') throw misfit('a string', value)
    return value
  },
  integer: (value) => {
    if (!Number.isSafeInteger(value)) throw misfit('an integer', value)
    return value
  },
  number: (value) => {
    if (!Number.isFinite(value)) throw misfit('a number', value)
    return value
  },
  boolean: (value) => {
    if (typeof value !== 'boolean') throw misfit('true or false', value)
    return value
  },
}

/** Any JSON value, its keys in order. */
function sorted(value: unknown): unknown {
  if (value instanceof Date) return checkedDate(value)
  if (Array.isArray(value)) return anyList(value)
  if (isObject(value)) return anyMap(value)
  if (typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value)) return value
  throw misfit('a JSON value', value)
}

const anything: Part = { nullable: true, empty: () => null, complete: sorted }
const anyList = list(anything)
const anyMap = map(anything)
const checkedDate = scalar('string', { format: 'date-time' })

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const keysOf = (value: Record<string, unknown>) =>
  Object.keys(value)
    .filter((key) => value[key] !== undefined)
    .sort()

function missing(): never {
  throw new RecordFault('', 'is missing')
}

function misfit(expected: string, value: unknown, shown = typeof value === 'number') {
  const kind = Array.isArray(value) ? 'a list' : typeof value === 'object' ? 'an object' : `a ${typeof value}`
  const got = shown && typeof value !== 'object' ? String(value).slice(0, 60) : kind
  return new RecordFault('', `must be ${expected}, not ${got}`)
}

function within(key: string, error: unknown): unknown {
  if (!(error instanceof RecordFault)) return error
  return new RecordFault(error.path ? `${key}.${error.path}` : key, error.problem)
}
