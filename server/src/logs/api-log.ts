/**
 * The log of API requests. Everything above knows only this interface, so that another store can stand behind it.
 */
export interface ApiLog {
  /**
   * Takes an entry. With `durable` it resolves once the entry survives a crash, or when that takes too long; without,
   * at once: the entry is readable within a second.
   */
  append(entry: NewEntry, options: { durable: boolean }): Promise<void>
  /** Newest first. */
  search(scope: SearchScope, page: SearchPage): Promise<FoundEntries>
  /** The distinct values within a scope, sorted. */
  facets(scope: Scope): Promise<Facets>
  /** `buckets` parts of equal length of the scope's time. */
  histogram(scope: Scope & { until: Date }, buckets: number): Promise<Bucket[]>
  /** Makes room for the days to come and drops what is older than the retention. Never in the way of writers. */
  maintain(now: Date): Promise<void>
  /** Writes what was taken, within seconds, and takes nothing more. */
  close(): Promise<void>
}

export interface NewEntry {
  /** A UUID. */
  requestId: string
  organizationId: string
  /** Null where the request named none that exists. */
  connection: LoggedConnection | null
  requestTime: Date
  method: string
  /** With `<path_param>` in place of path parameters. */
  path: string
  pathParam: string | null
  statusCode: number
  error: string | null
  errorOrigin: string | null
  durationMs: number
  idempotencyKey: string | null
  /** JSON texts; the body null where there was none. */
  queryParams: string
  requestBody: string | null
  integrationRequestBodies: string
}

export interface LoggedConnection {
  id: string
  integrationType: string
  integrationName: string
}

/** Which entries; everything given must hold. */
export interface Scope {
  organizationId: string
  /** Inclusive. */
  from: Date
  /** Inclusive; null: up to the newest entry. */
  until: Date | null
  connectionId?: string | undefined
  integrationName?: string | undefined
  integrationType?: string | undefined
}

export interface SearchScope extends Scope {
  method?: string | undefined
  path?: string | undefined
  statusCode?: number | undefined
}

export interface SearchPage {
  limit: number
  /** Where the last page ended. */
  after: EntryKey | null
  /** A page ends early rather than grow beyond this, but holds at least one entry. */
  maxBytes: number
}

export interface EntryKey {
  requestTime: string
  requestId: string
}

export interface FoundEntries {
  /** Each a JSON text with the fields of an entry as the API answers it. */
  entries: string[]
  /** Key of the last entry when there are more after it. */
  next: EntryKey | null
}

export interface Facets {
  connection_id: string[]
  integration_name: string[]
  request_path: string[]
  status_code: number[]
}

export interface Bucket {
  start_time: string
  end_time: string
  /** By class of status: `2xx` … `5xx`. */
  counts: Record<string, number>
}
