import type { TObject } from 'typebox'
import type { IntegrationType, Resource, SourceRecord } from '../resources/define.ts'
import type { Write } from '../resources/define-write.ts'
import type { IntegrationHttp } from './http.ts'
import type { Unused } from './unused.ts'

/** One third-party system: how it is installed, reached, read and written. `Client` is what `connect` makes. */
export interface Integration<Client = unknown> {
  readonly name: string
  readonly type: IntegrationType
  readonly displayName: string
  readonly description: string
  readonly install: CredentialsForm
  /** Makes a client; a refused login throws an `IntegrationError` whose fault is `credentials`. */
  connect(credentials: Credentials, http: IntegrationHttp): Promise<Client> | Client
  /** Proves the credentials and tells whose account they open; null where the system gives no account. */
  account(client: Client): Promise<Account | null>
  readonly actions: Readonly<Record<string, ReadAction<Client> | WriteAction<Client>>>
  /** Hands a caller's own request on to the system; left out where the system offers no such thing. */
  passthrough?(client: Client, request: PassthroughRequest): Promise<PassthroughAnswer>
}

export type Credentials = Readonly<Record<string, string>>

export interface Account {
  account_id: string
  account_name: string
}

/** The form an end customer fills in; each field says where its value is found. */
export interface CredentialsForm {
  readonly method: 'input'
  readonly fields: Readonly<Record<string, CredentialField>>
}

export interface CredentialField {
  readonly kind: 'text' | 'url' | 'secret'
  readonly label: string
  readonly help: string
  readonly optional: boolean
}

/** Any JSON value an integration uses to go on from; opaque to the platform. */
export type Cursor = string | number | boolean | null | Cursor[] | { [key: string]: Cursor }

export interface PageRequest {
  /** Only what changed at or after this instant; null: everything. Always null for snapshots. */
  readonly since: Date | null
  /** The instant the crawl began, or the end of an on-demand window. */
  readonly until: Date
  /** What the last page gave as `next`; null for the first page. */
  readonly cursor: Cursor
}

export interface Page<Raw> {
  readonly items: readonly Raw[]
  /** Null when this was the last page. */
  readonly next: Cursor
  /** The source's own clock at its newest change seen; the next crawl starts there. Left out: our clock at the crawl's start. */
  readonly watermark?: Date | undefined
}

export interface ReadAction<Client = unknown, Raw = unknown> {
  readonly kind: 'read'
  readonly resource: Resource
  /** `incremental` asks only for what changed; `snapshot` reads all and what is missing is gone. */
  readonly mode: 'incremental' | 'snapshot'
  page(client: Client, request: PageRequest): Promise<Page<Raw>>
  /** Pure: no I/O, no clock. */
  map(raw: Raw): SourceRecord<Resource>
  /**
   * Fields of the resource that the system cannot fill, as `line_items.discount_amount`; a whole object or list by its
   * name, the entries of a map as `key`.
   */
  readonly omits?: readonly string[]
}

/** What a write hands to the system. */
export interface WriteRequest<Body = unknown> {
  /** Of the record in the path; empty where there is none. */
  readonly id: string
  /** As the action's schema has it, without `service_tags`. */
  readonly body: Body
  /** A UUID that stays the same when the same request is taken up again after it was cut off. */
  readonly reference: string
}

export interface WriteAction<Client = unknown, Raw = unknown> {
  readonly kind: 'write'
  readonly write: Write
  readonly resource: Resource
  /** Exactly the bodies it accepts, `service_tags` included. */
  readonly body: TObject
  /** Dot paths of fields beyond the published base of the write. */
  readonly specificPaths: readonly string[]
  /** Values a connection allows, by dot path. */
  readonly choices: Readonly<Record<string, (client: Client) => Promise<readonly string[]>>>
  /** Fields that are accepted and may come to nothing, by dot path. */
  readonly unused: Readonly<Record<string, Unused>>
  /** @returns what the read action of the resource maps */
  perform(client: Client, request: WriteRequest): Promise<Raw>
  /** What an earlier `perform` with this reference came to; null: nothing. Left out where it cannot be told. */
  find?(client: Client, request: WriteRequest): Promise<Raw | null>
  /** Whether performing it twice does no harm. */
  readonly repeatable: boolean
}

export interface PassthroughRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly data: unknown
  readonly headers: Readonly<Record<string, string>>
  readonly params: Readonly<Record<string, string | number | boolean>>
}

export interface PassthroughAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: unknown
}

/** The read actions of an integration by name. */
export function readActions<Client>(integration: Integration<Client>): Record<string, ReadAction<Client>> {
  return Object.fromEntries(
    Object.entries(integration.actions).filter(
      (entry): entry is [string, ReadAction<Client>] => entry[1].kind === 'read',
    ),
  )
}

/** @throws Error when the integration has no such read action, which its caller has made sure of */
export function readAction<Client>(integration: Integration<Client>, name: string): ReadAction<Client> {
  const action = integration.actions[name]
  if (action?.kind !== 'read') throw new Error(`${integration.name} does not read ${name}`)
  return action
}

export function writeActions<Client>(integration: Integration<Client>): WriteAction<Client>[] {
  return Object.values(integration.actions).filter((action) => action.kind === 'write')
}

export function defineIntegration<Client>(integration: Integration<Client>): Integration {
  return Object.freeze(integration) as unknown as Integration
}

export function credentialsForm(fields: Record<string, CredentialField>): CredentialsForm {
  return { method: 'input', fields }
}

export const urlField = (label: string, help: string): CredentialField => ({
  kind: 'url',
  label,
  help,
  optional: false,
})
export const textField = (label: string, help: string): CredentialField => ({
  kind: 'text',
  label,
  help,
  optional: false,
})
export const secretField = (label: string, help: string): CredentialField => ({
  kind: 'secret',
  label,
  help,
  optional: false,
})

/** What of the credentials may never be seen: the HTTP client masks it wherever it would appear. */
export function secretsOf(integration: Integration, credentials: Credentials): string[] {
  return Object.entries(integration.install.fields).flatMap(([name, field]) =>
    field.kind === 'secret' ? (credentials[name] ?? []) : [],
  )
}

/** A read action of a system that can tell what changed since an instant. */
export function read<R extends Resource, Client, Raw>(
  resource: R,
  page: (client: Client, request: PageRequest) => Promise<Page<Raw>>,
  map: (raw: Raw) => SourceRecord<R>,
  options: Pick<ReadAction, 'omits'> = {},
): ReadAction<Client> {
  return { kind: 'read', resource, mode: 'incremental', page, map, ...options } as unknown as ReadAction<Client>
}

/** A read action of a system that must be read whole; what a complete crawl did not see is gone. */
export function snapshot<R extends Resource, Client, Raw>(
  resource: R,
  page: (client: Client, request: Pick<PageRequest, 'until' | 'cursor'>) => Promise<Page<Raw>>,
  map: (raw: Raw) => SourceRecord<R>,
  options: Pick<ReadAction, 'omits'> = {},
): ReadAction<Client> {
  return { kind: 'read', resource, mode: 'snapshot', page, map, ...options } as unknown as ReadAction<Client>
}
