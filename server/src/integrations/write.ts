import { type Static, type TObject, type TProperties, Type } from 'typebox'
import type { Narrowed, PathOf, Write } from '../resources/define-write.ts'
import { writtenTags } from '../resources/written.ts'
import type { WriteAction, WriteRequest } from './define.ts'
import { narrowBody, pascal } from './narrow-body.ts'
import type { Unused } from './unused.ts'

/** What an integration takes of a write, each field by its dot path. */
export interface WriteSpec<
  W extends Write,
  Client,
  Required extends string,
  Optional extends string,
  Specific extends TProperties,
> {
  required?: readonly (Required & PathOf<W>)[]
  optional?: readonly (Optional & PathOf<W>)[]
  /** Fields that only this integration has; optional ones are wrapped in `Type.Optional`. */
  specific?: Specific
  /** Values a connection allows, asked of its system. */
  choices?: {
    readonly [Path in (Required | Optional | keyof Specific) & string]?: (client: Client) => Promise<readonly string[]>
  }
  /** Accepted fields that come to nothing, and when. */
  unused?: { readonly [Path in Required | Optional]?: Unused }
}

/** How to learn what became of a write that was cut off: by looking, or because doing it twice does no harm. */
export type Recovery<Client, Body, Raw> =
  | { find(client: Client, request: WriteRequest<Body>): Promise<Raw | null>; repeatable?: never }
  | { repeatable: true; find?: never }

/**
 * A write action. From what it takes come validation, the OpenAPI document, the integration's description and
 * `unused_fields`; `perform` answers what the read action of the resource maps.
 */
export function write<
  Client,
  W extends Write,
  Raw,
  const Required extends string = never,
  const Optional extends string = never,
  Specific extends TProperties = Record<never, never>,
>(
  base: W,
  spec: WriteSpec<W, Client, Required, Optional, Specific>,
  perform: (
    client: Client,
    request: WriteRequest<Narrowed<Static<W['body']>, Required, Optional> & Static<TObject<Specific>>>,
  ) => Promise<Raw>,
  recovery?: Recovery<NoInfer<Client>, unknown, NoInfer<Raw>>,
): WriteAction<Client, Raw> {
  const { required = [], optional = [], specific = {} as Specific, choices = {}, unused = {} } = spec
  const specificRequired = Object.keys(specific).filter((path) => !Type.IsOptional(specific[path]!))
  const body = narrowBody(base.body, {
    title: pascal(base.action),
    required: [...required, ...specificRequired],
    optional,
    specific,
  })
  return Object.freeze({
    kind: 'write',
    write: base,
    resource: base.resource,
    body: base.tags ? { ...body, properties: { ...body.properties, service_tags: writtenTags } } : body,
    specificPaths: [
      ...[...required, ...optional].filter((path) => base.beyondBase.includes(path)),
      ...Object.keys(specific),
    ],
    choices,
    unused,
    perform,
    repeatable: recovery?.repeatable ?? false,
    ...(recovery?.find && { find: recovery.find }),
  }) as unknown as WriteAction<Client, Raw>
}
