import { type RawBuilder, sql } from 'kysely'
import { type TProperties, Type } from 'typebox'
import { isInstant } from '../http/validation.ts'
import { flag, type Operator, operators, type Resource, timestamp } from '../resources/define.ts'

export type Condition = RawBuilder<unknown>

const maxListed = 100

/** Every list parameter of a resource besides paging: `sku`, `sku[in]`, `created_date[gte]`… */
export function filterParameters(resource: Resource): TProperties {
  const parameters: TProperties = { 'ids[in]': Type.Optional(Type.String({ description: idsNote })) }
  for (const [field, allowed] of Object.entries({ ...dates, ...resource.filters })) {
    for (const operator of allowed)
      parameters[parameterOf(field, operator)] = parameterSchema(resource, field, operator)
  }
  if (resource.tags) {
    parameters['service_tags[contains]'] = Type.Optional(Type.String({ description: tagsNote }))
    parameters['service_tags[not_contains]'] = Type.Optional(Type.String({ description: tagsNote }))
  }
  return parameters
}

/**
 * Finds parameters that list more than 100 values or values that are no timestamps: their schema takes them for texts.
 * With `ids[in]` the other filters do not count.
 */
export function listFaults(resource: Resource): (query: Record<string, unknown>) => Record<string, string[]> {
  const known = filterParameters(resource)
  return (query) => {
    const names = typeof query['ids[in]'] === 'string' ? ['ids[in]'] : Object.keys(query)
    return Object.fromEntries(
      names
        .filter((name) => Object.hasOwn(known, name) && typeof query[name] === 'string')
        .map((name) => [name, faultsOfList(resource, name, query[name] as string)]),
    )
  }
}

function faultsOfList(resource: Resource, parameter: string, given: string): string[] {
  const { field, operator } = partsOf(parameter)
  if (!isList(operator) && field !== 'service_tags') return []
  const values = given.split(',')
  const areInstants = !isDate(resource, field) || values.every(isInstant)
  return [
    ...(values.length > maxListed ? [`May list at most ${maxListed} values.`] : []),
    ...(areInstants ? [] : ['Must list ISO 8601 timestamps with offset.']),
  ]
}

/** Turns the checked parameters of a list into conditions. With `ids[in]` the other filters do not count. */
export function conditionsOf(resource: Resource, query: Record<string, unknown>): Condition[] {
  const ids = query['ids[in]']
  if (typeof ids === 'string') return [sql`id = any(${ids.split(',')})`]
  return Object.entries(query).flatMap(([parameter, value]) => {
    const { field, operator } = partsOf(parameter)
    if (field === 'limit' || field === 'page_token' || value === undefined) return []
    const values = isList(operator) ? String(value).split(',') : [String(value)]
    if (field === 'service_tags') return [tagCondition(operator, String(value).split(','))]
    if (field in dates) return [dateCondition(field, operator, canonical(values))]
    return [fieldCondition(field, operator, isDate(resource, field) ? canonical(values) : values)]
  })
}

/** A checked parameter such as `sku[in]`. */
function partsOf(parameter: string): { field: string; operator: Operator } {
  const [, field, operator = '='] = /^(\w+)(?:\[([\w-]+)\])?$/.exec(parameter)!
  return { field: field!, operator: operator as Operator }
}

/** The condition that a kept filter value is this one. */
export const fieldEquals = (field: string, value: string): Condition => sql`${keptValue(field)} = ${value}`

const keptValue = (field: string) => sql`(filters ->> ${sql.lit(field)}) collate "C"`

const dates = {
  created_date: operators.dateOrList,
  updated_date: operators.dateOrList,
  service_created_date: operators.dateOrList,
  service_updated_date: operators.dateOrList,
} as const

const idsNote = 'Up to 100 ids, comma-separated; other filters do not count then.'
const tagsNote = 'Comma-separated tags, `key:value` for pairs.'

const parameterOf = (field: string, operator: Operator) => (operator === '=' ? field : `${field}[${operator}]`)

function parameterSchema(resource: Resource, field: string, operator: Operator) {
  if (isList(operator)) return Type.Optional(Type.String({ description: 'Up to 100 values, comma-separated.' }))
  if (isDate(resource, field)) return Type.Optional(timestamp)
  return Type.Optional(typeOf(resource, field) === 'boolean' ? flag : Type.String())
}

const isList = (operator: Operator) => ['in', 'nin', 'in-insensitive'].includes(operator)

const shapeOf = (resource: Resource, field: string) =>
  resource.fields.properties[field] as { type?: string | string[]; format?: string } | undefined
const typeOf = (resource: Resource, field: string) => [shapeOf(resource, field)?.type].flat()[0]
const isDate = (resource: Resource, field: string) => field in dates || shapeOf(resource, field)?.format === 'date-time'

/** Timestamps in one form, so that their order as text is their order in time. */
const canonical = (values: string[]) => values.map((value) => new Date(value).toISOString())

function dateCondition(column: string, operator: Operator, values: string[]): Condition {
  const at = sql.ref(column)
  if (operator === 'in') return sql`${at} = any(${values}::timestamptz[])`
  if (operator === 'nin') return sql`${at} <> all(${values}::timestamptz[])`
  return sql`${at} ${sql.raw(comparisons[operator]!)} ${values[0]}::timestamptz`
}

/** Filter values are kept as text. */
function fieldCondition(field: string, operator: Operator, values: string[]): Condition {
  const at = keptValue(field)
  const value = values[0]
  switch (operator) {
    case 'in':
      return sql`${at} = any(${values})`
    case 'nin':
      return sql`(${at} <> all(${values}) or ${at} is null)`
    case 'neq':
      return sql`${at} is distinct from ${value}`
    case 'contains':
      return sql`strpos(${at}, ${value}) > 0`
    case 'not_contains':
      return sql`coalesce(strpos(${at}, ${value}), 0) = 0`
    case 'eq-insensitive':
      return sql`${folded(at)} = ${folded(sql`${value}::text`)}`
    case 'in-insensitive':
      return sql`${folded(at)} = any(array(select ${folded(sql`value`)} from unnest(${values}::text[]) as value))`
    case 'contains-insensitive':
      return sql`strpos(${folded(at)}, ${folded(sql`${value}::text`)}) > 0`
    default:
      return sql`${at} ${sql.raw(comparisons[operator]!)} ${value}`
  }
}

/**
 * A text whatever its case, in the letters of any language. Both ways: some letters have two small forms, others no
 * capital that everybody uses.
 */
const folded = (text: RawBuilder<unknown>) => sql`upper(lower((${text}) collate "und-x-icu")) collate "C"`

const comparisons: Partial<Record<Operator, string>> = {
  '=': '=',
  eq: '=',
  neq: '<>',
  gt: '>',
  gte: '>=',
  lt: '<',
  lte: '<=',
}

/** `key:value` finds the pair as well as the text. */
function tagCondition(operator: Operator, tags: string[]): Condition {
  const each = tags.map((tag) => {
    const separator = tag.indexOf(':')
    const pair = separator > 0 ? { [tag.slice(0, separator)]: tag.slice(separator + 1) } : tag
    return sql`(service_tags @> ${JSON.stringify([tag])}::jsonb or service_tags @> ${JSON.stringify([pair])}::jsonb)`
  })
  if (operator === 'contains') return sql.join(each, sql` and `)
  return sql`(service_tags is null or not (${sql.join(each, sql` or `)}))`
}
