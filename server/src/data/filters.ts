import { type RawBuilder, sql } from 'kysely'
import { type TProperties, Type } from 'typebox'
import { errors } from '../errors.ts'
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
 * Turns the checked parameters of a list into conditions. With `ids[in]` the other filters do not count.
 * @throws ApiError 422 for a list of more than 100 values or of values that are no timestamps
 */
export function conditionsOf(resource: Resource, query: Record<string, unknown>): Condition[] {
  const ids = query['ids[in]']
  if (typeof ids === 'string') return [sql`id = any(${listed('ids[in]', ids)})`]
  return Object.entries(query).flatMap(([parameter, value]) => {
    const [, field, operator = '='] = /^(\w+)(?:\[([\w-]+)\])?$/.exec(parameter)!
    if (field === 'limit' || field === 'page_token' || value === undefined) return []
    const given = String(value)
    if (field === 'service_tags') return [tagCondition(parameter, operator as Operator, given)]
    if (field! in dates) return [dateCondition(field!, parameter, operator as Operator, given)]
    return [fieldCondition(resource, field!, parameter, operator as Operator, given)]
  })
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
  if (field in dates || isDateField(resource, field)) return Type.Optional(timestamp)
  return Type.Optional(typeOf(resource, field) === 'boolean' ? flag : Type.String())
}

const isList = (operator: Operator) => ['in', 'nin', 'in-insensitive'].includes(operator)

const shapeOf = (resource: Resource, field: string) =>
  resource.fields.properties[field] as { type?: string | string[]; format?: string } | undefined
const typeOf = (resource: Resource, field: string) => [shapeOf(resource, field)?.type].flat()[0]
const isDateField = (resource: Resource, field: string) => shapeOf(resource, field)?.format === 'date-time'

function listed(parameter: string, text: string): string[] {
  const values = text.split(',')
  if (values.length > maxListed) throw errors.validation({ query: { [parameter]: ['May list at most 100 values.'] } })
  return values
}

function instants(parameter: string, values: string[]): string[] {
  if (values.every(isInstant)) return values.map((value) => new Date(value).toISOString())
  throw errors.validation({ query: { [parameter]: ['Must list ISO 8601 timestamps with offset.'] } })
}

function dateCondition(column: string, parameter: string, operator: Operator, given: string): Condition {
  const at = sql.ref(column)
  const values = instants(parameter, isList(operator) ? listed(parameter, given) : [given])
  if (operator === 'in') return sql`${at} = any(${values}::timestamptz[])`
  if (operator === 'nin') return sql`${at} <> all(${values}::timestamptz[])`
  return sql`${at} ${sql.raw(comparisons[operator]!)} ${values[0]}::timestamptz`
}

/** Filter values are kept as text; timestamps in one form, so that their order as text is their order in time. */
function fieldCondition(
  resource: Resource,
  field: string,
  parameter: string,
  operator: Operator,
  given: string,
): Condition {
  const at = keptValue(field)
  const texts = isList(operator) ? listed(parameter, given) : [given]
  const values = isDateField(resource, field) ? instants(parameter, texts) : texts
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
function tagCondition(parameter: string, operator: Operator, given: string): Condition {
  const each = listed(parameter, given).map((tag) => {
    const separator = tag.indexOf(':')
    const pair = separator > 0 ? { [tag.slice(0, separator)]: tag.slice(separator + 1) } : tag
    return sql`(service_tags @> ${JSON.stringify([tag])}::jsonb or service_tags @> ${JSON.stringify([pair])}::jsonb)`
  })
  if (operator === 'contains') return sql.join(each, sql` and `)
  return sql`(service_tags is null or not (${sql.join(each, sql` or `)}))`
}
