import { type Static, type TObject, type TProperties, type TSchema, Type } from 'typebox'

export const integrationTypes = ['wms', 'freight', 'cart', 'carrier', 'erp'] as const
export type IntegrationType = (typeof integrationTypes)[number]

/** One kind of unified record, for example `wms/orders`. Everything the platform does with it is derived from this value. */
export interface Resource<Fields extends TObject = TObject> {
  readonly type: IntegrationType
  /** Plural in snake case; the key of `get_<name>`. */
  readonly name: string
  readonly singular: string
  /** List path in Fastify notation. */
  readonly path: string
  /** Fields named by the parameters of `path`: kept as filter values, never offered as query parameters. */
  readonly pathFields: readonly string[]
  /** Whether `GET <path>/{<itemParameter>}` exists. */
  readonly item: boolean
  /** Name of the identifier in item paths: `<singular>_id` unless declared otherwise. */
  readonly itemParameter: string
  /** Prefix of its event types: `<event>.created`, `<event>.updated`; null: nobody is told of its changes. */
  readonly event: string | null
  /** Array fields whose growth is an event of its own: field name → event type. */
  readonly growth: Readonly<Record<string, string>>
  readonly readAction: string
  /** Seconds between two crawls unless a connection says otherwise. */
  readonly everySeconds: number
  /** Whether a first crawl reads all there is, or only the organization's history window. */
  readonly history: 'all' | 'window'
  /** Off until an organization or a connection enables it. */
  readonly offByDefault: boolean
  /** Whether records carry `service_tags`. */
  readonly tags: boolean
  /** The record as integrations supply it, common fields included, without the `service_*` fields. */
  readonly fields: Fields
  /** The record as it is answered. */
  readonly answer: TObject
  /** Filters of its own beside the common ones: field name → allowed operators. */
  readonly filters: Readonly<Record<string, readonly Operator[]>>
}

/** Operators of list filters; `=` is the bare form `field=value`. */
export type Operator =
  | '='
  | 'eq'
  | 'neq'
  | 'gt'
  | 'gte'
  | 'lt'
  | 'lte'
  | 'in'
  | 'nin'
  | 'contains'
  | 'not_contains'
  | 'eq-insensitive'
  | 'in-insensitive'
  | 'contains-insensitive'

export const operators = {
  exact: ['='],
  text: ['=', 'eq', 'neq', 'in', 'nin', 'contains', 'not_contains'],
  sku: ['=', 'eq', 'in', 'nin', 'contains', 'not_contains'],
  number: [
    '=',
    'eq',
    'eq-insensitive',
    'in',
    'in-insensitive',
    'nin',
    'contains',
    'contains-insensitive',
    'not_contains',
  ],
  date: ['=', 'eq', 'neq', 'gt', 'gte', 'lt', 'lte'],
  dateOrList: ['=', 'eq', 'neq', 'gt', 'gte', 'lt', 'lte', 'in', 'nin'],
} as const satisfies Record<string, readonly Operator[]>

/**
 * Declares a resource. `fields` are its own; `id`, `created_date`, `updated_date` (the source's timestamps) and
 * `additional_fields` are added to every resource here.
 */
export function defineResource<Type_ extends IntegrationType, Own extends TProperties>(
  type: Type_,
  name: string,
  declared: {
    singular: string
    fields: Own
    schedule: { everySeconds: number }
    path?: string
    item?: boolean
    itemParameter?: string
    event?: string | null
    growth?: Record<string, string>
    history?: 'all' | 'window'
    offByDefault?: boolean
    tags?: boolean
    filters?: { [Field in keyof Own & string]?: readonly Operator[] }
  },
) {
  const path = declared.path ?? `/${type}/${name.replaceAll('_', '-')}`
  const fields = Type.Object({ ...common, ...declared.fields, additional_fields: freeForm })
  return Object.freeze({
    type,
    name,
    singular: declared.singular,
    path,
    pathFields: [...path.matchAll(/:(\w+)/g)].map(([, field]) => field!),
    item: declared.item ?? true,
    itemParameter: declared.itemParameter ?? `${declared.singular}_id`,
    event: declared.event === undefined ? declared.singular.replaceAll('_', '-') : declared.event,
    growth: declared.growth ?? {},
    readAction: `get_${name}`,
    everySeconds: declared.schedule.everySeconds,
    history: declared.history ?? 'all',
    offByDefault: declared.offByDefault ?? false,
    tags: declared.tags ?? false,
    fields,
    answer: Type.Object({
      ...fields.properties,
      ...(declared.tags ? { service_tags: serviceTags } : {}),
      service_created_date: timestamp,
      service_updated_date: timestamp,
    }),
    filters: (declared.filters ?? {}) as Readonly<Record<string, readonly Operator[]>>,
  }) satisfies Resource
}

/** A value that may be null. */
export function nullable<Schema extends TSchema>(schema: Schema) {
  const { type, enum: values } = schema as { type?: string; enum?: unknown[] }
  return Type.Unsafe<Static<Schema> | null>({
    ...schema,
    ...(type ? { type: [type, 'null'] } : {}),
    ...(values ? { type: ['string', 'null'], enum: [...values, null] } : {}),
  })
}

/** Still answered, replaced by a newer field. */
export function deprecated<Schema extends TSchema>(schema: Schema): Schema {
  return { ...schema, deprecated: true }
}

/** A string out of a fixed list. */
export function oneOf<const Values extends readonly string[]>(...values: Values) {
  return Type.Unsafe<Values[number]>({ type: 'string', enum: [...values] })
}

export const text = Type.String()
export const textOrNull = nullable(text)
export const integer = Type.Integer()
export const integerOrNull = nullable(integer)
export const amount = Type.Number()
export const amountOrNull = nullable(amount)
export const flag = Type.Boolean()
export const flagOrNull = nullable(flag)
/** ISO 8601 with offset; kept as `2026-11-20T08:15:30.123Z`. */
export const timestamp = Type.String({ format: 'date-time' })
export const timestampOrNull = nullable(timestamp)
export const freeForm = Type.Record(Type.String(), Type.Unknown())

/** Labels of the organization: each a string or an object with one pair. */
export const serviceTags = Type.Unsafe<(string | Record<string, string>)[] | null>({
  type: ['array', 'null'],
  items: {
    anyOf: [
      { type: 'string' },
      { type: 'object', minProperties: 1, maxProperties: 1, additionalProperties: { type: 'string' } },
    ],
  },
})

export const hours = (count: number) => ({ everySeconds: count * 3600 })

const common = { id: text, created_date: timestamp, updated_date: timestamp }

/** A record of a resource as it is kept: every declared field present. */
export type RecordOf<R extends Resource> = Static<R['fields']>

/**
 * A record as a map function may give it: fields that may be null, lists and objects may be left out and become
 * `null`, `[]` and an object of nulls.
 */
export type SourceRecord<R extends Resource> = Sparse<Static<R['fields']>>

type Sparse<T> = T extends readonly (infer Item)[]
  ? Sparse<Item>[]
  : T extends object
    ? string extends keyof T
      ? { [Key in keyof T]: Sparse<T[Key]> }
      : { [Key in keyof T as Omittable<T[Key]> extends true ? never : Key]: Sparse<T[Key]> } & {
          [Key in keyof T as Omittable<T[Key]> extends true ? Key : never]?: Sparse<T[Key]> | undefined
        }
    : T

type Omittable<T> = null extends T ? true : T extends object ? true : false
