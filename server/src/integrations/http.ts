import type { IntegrationFault } from './fault.ts'

/** What an integration gets to reach its system with; made per connection by `createHttp`. */
export interface IntegrationHttp {
  /** A client for one base address. */
  at(baseUrl: string, options?: HttpOptions): HttpClient
}

export interface HttpOptions {
  headers?: Record<string, string>
  /** Time for one attempt until the whole answer is read; default 30 s. */
  timeoutMs?: number
  /** Requests per second to the origin of this base address, over all its clients in this process; unset: no throttle. */
  requestsPerSecond?: number
  /**
   * A vendor's own reading of an answer: return a fault to fail the call, null when it is a success. Without it,
   * 401 is `credentials`, 403 `permission`, 404 `not_found`, 409 `conflict`, 429 `rate_limited`, 504 `timeout`, other 4xx `rejected`,
   * other 5xx `unavailable` (`judgeByStatus`, to fall back on). A redirect is `invalid_response` in any case.
   */
  judge?(answer: HttpAnswer): { fault: IntegrationFault; message: string } | null
}

export interface HttpClient {
  /** `path` is joined to the base address; the absolute URL of a next page must be of the same origin. */
  get(path: string, options?: CallOptions): Promise<HttpAnswer>
  send(method: 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, options?: CallOptions): Promise<HttpAnswer>
}

export interface CallOptions {
  query?: Record<string, string | number | boolean | undefined>
  /** Sent as JSON. */
  body?: unknown
  headers?: Record<string, string>
  /** Whether sending it twice does no harm, so that it may be retried; GET always may. */
  repeatable?: boolean
  /**
   * False for a `send` that only asks or logs in, or that makes what the same write would find and use the next time. By
   * any other a write is begun: should it fail now, it is looked up before it is done again.
   */
  effect?: boolean
}

export interface HttpAnswer {
  status: number
  headers: Headers
  /** Parsed JSON, or the text where it is none; null where it is empty. */
  // biome-ignore lint/suspicious/noExplicitAny: a vendor's JSON has whatever shape its integration reads it as
  body: any
}
