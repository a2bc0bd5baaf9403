import { type Static, type TObject, type TObjectOptions, type TProperties, Type } from 'typebox'
import type { Resource } from './define.ts'
import { documentedPath } from './documented-path.ts'

/**
 * One way to write a resource, for example `create_order`. `body` names every field there is; an integration narrows it
 * to what its system takes.
 */
export interface Write<Body extends TObject = TObject, R extends Resource = Resource> {
  readonly action: string
  /** What it answers. */
  readonly resource: R
  readonly method: 'POST' | 'PUT'
  /** In Fastify notation. */
  readonly path: string
  /** Name of the written record's id in `path`; null for what creates one. */
  readonly itemParameter: string | null
  readonly summary: string
  /** The body without `service_tags`. */
  readonly body: Body
  /** Dot paths of fields outside the published base: each integration that takes them has them of its own. */
  readonly beyondBase: readonly string[]
  /** Whether the body may hold `service_tags`, which this service keeps itself. */
  readonly tags: boolean
  /** Whether the body comes as a form with a file, which `body` has as base64; the answer is then `success`. */
  readonly multipart: boolean
}

export function defineWrite<R extends Resource, Fields extends TProperties = Record<never, never>>(declared: {
  action: string
  resource: R
  method: 'POST' | 'PUT'
  path: string
  summary: string
  fields?: Fields
  beyondBase?: readonly string[]
  /** Further keywords of the body's schema. */
  rules?: TObjectOptions
  tags?: boolean
  multipart?: boolean
}): Write<TObject<Fields>, R> {
  const { fields, beyondBase = [], rules = {}, tags = false, multipart = false, ...write } = declared
  const itemParameter = /:(\w+)/.exec(declared.path)?.[1] ?? null
  const body = Type.Object((fields ?? {}) as Fields, rules)
  return Object.freeze({ ...write, itemParameter, tags, multipart, beyondBase, body })
}

/** Method and path as the API reference writes it, `POST /wms/orders/{order_id}/shipments`. */
export const urlOf = ({ method, path }: Pick<Write, 'method' | 'path'>) => `${method} ${documentedPath(path)}`

/** Every field of a write body by dot path; the fields of a list's entries go by the name of the list. */
export type PathOf<W extends Write> = Paths<Static<W['body']>>

type Paths<T> = T extends readonly (infer Item)[]
  ? Paths<Item>
  : T extends object
    ? { [Key in keyof T & string]: Key | `${Key}.${Paths<NonNullable<T[Key]>>}` }[keyof T & string]
    : never

/** The body an integration gets: the required paths there, the optional ones perhaps. */
export type Narrowed<T, Required extends string, Optional extends string, Prefix extends string = ''> = {
  [Key in keyof T & string as `${Prefix}${Key}` extends Required ? Key : never]: Inner<
    T[Key],
    Required,
    Optional,
    `${Prefix}${Key}.`
  >
} & {
  [Key in keyof T & string as `${Prefix}${Key}` extends Optional ? Key : never]?: Inner<
    T[Key],
    Required,
    Optional,
    `${Prefix}${Key}.`
  >
}

type Inner<T, Required extends string, Optional extends string, Prefix extends string> = T extends (infer Item)[]
  ? Item extends object
    ? Narrowed<Item, Required, Optional, Prefix>[]
    : T
  : T extends object
    ? Narrowed<T, Required, Optional, Prefix>
    : T
