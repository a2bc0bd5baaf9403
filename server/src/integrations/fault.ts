/** What went wrong with the system behind, in the terms the platform acts on. */
export type IntegrationFault =
  | 'credentials'
  | 'permission'
  | 'not_found'
  | 'conflict'
  | 'rejected'
  | 'rate_limited'
  | 'unavailable'
  | 'timeout'
  | 'invalid_response'

/** A failed call to a third-party system. `message` may be shown to the organization; it never holds a secret. */
export class IntegrationError extends Error {
  readonly fault: IntegrationFault
  /** The address asked, without query. */
  readonly url: string | null
  /** HTTP status of the system behind, where it answered. */
  readonly status: number | null
  /** Seconds the system asked us to wait. */
  readonly retryAfterSeconds: number | null
  /** Whether the call may have had an effect all the same, as when no answer came. */
  readonly effectUnknown: boolean
  /** Whether what the write had done before it failed was taken back. */
  readonly undone: boolean

  constructor(
    fault: IntegrationFault,
    message: string,
    details: {
      url?: string
      status?: number
      retryAfterSeconds?: number
      effectUnknown?: boolean
      undone?: boolean
      cause?: unknown
    } = {},
  ) {
    super(message, { cause: details.cause })
    this.name = 'IntegrationError'
    this.fault = fault
    this.url = details.url ?? null
    this.status = details.status ?? null
    this.retryAfterSeconds = details.retryAfterSeconds ?? null
    this.effectUnknown =
      details.effectUnknown ?? (fault === 'unavailable' || fault === 'timeout' || fault === 'invalid_response')
    this.undone = details.undone ?? false
  }
}
