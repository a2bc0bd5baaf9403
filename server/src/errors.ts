import type { IntegrationError } from './integrations/fault.ts'

export type ErrorOrigin = 'service' | 'integration'

/** Messages per field, nested like the input: `{json: {line_items: {0: {sku: ['…']}}}}`. */
export type FaultTree = { [key: string]: FaultTree | string[] }

/** An error the caller may see. `cause` is for our log alone. */
export class ApiError extends Error {
  readonly status: number
  readonly origin: ErrorOrigin
  readonly id: string | undefined
  readonly detail: FaultTree | undefined
  /** Where an install failed. */
  readonly step: string | undefined
  readonly headers: Record<string, string>

  constructor(
    status: number,
    message: string,
    more: {
      origin?: ErrorOrigin
      id?: string
      detail?: FaultTree
      step?: string
      headers?: Record<string, string>
      cause?: unknown
    } = {},
  ) {
    super(message, { cause: more.cause })
    this.name = 'ApiError'
    this.status = status
    this.origin = more.origin ?? 'service'
    this.id = more.id
    this.detail = more.detail
    this.step = more.step
    this.headers = more.headers ?? {}
  }

  get body() {
    return { error: this.message, origin: this.origin, id: this.id, detail: this.detail, step: this.step }
  }
}

/** Every error the API answers, by what happened. */
export const errors = {
  invalidApiKey: () => new ApiError(401, 'Invalid API key'),
  invalidAccessToken: () => new ApiError(401, 'Invalid access token'),
  invalidOperatorKey: () => new ApiError(401, 'Invalid operator key'),
  invalidLinkToken: () => new ApiError(401, 'This link does not exist; check the address or ask for a new link'),
  linkUsed: () => new ApiError(409, 'This link has already been used; ask for a new one to install again'),
  linkExpired: () => new ApiError(410, 'This link has expired; ask for a new one'),
  linkWithdrawn: () => new ApiError(410, 'This link was withdrawn; ask for a new one'),
  invalidAuthCode: () => new ApiError(400, 'This auth code is wrong, used or expired'),
  installFailed: (status: number, step: string, message: string) =>
    new ApiError(status, message, { origin: 'integration', step }),
  readOnlyKey: () => new ApiError(403, 'This API key is read-only'),
  functionDisabled: (functionName: string) => new ApiError(403, `${functionName} is disabled for this connection`),
  integrationNotOffered: (name: string) => new ApiError(403, `${name} cannot be installed through this link`),
  notFound: (what: string, id: string) => new ApiError(404, `${what} not found`, { id }),
  unknownPath: () => new ApiError(404, 'There is nothing at this path'),
  methodNotAllowed: (method: string, allowed: string[]) =>
    new ApiError(405, `${method} is not allowed here`, { headers: { allow: allowed.join(', ') } }),
  notImplemented: (functionName: string, displayName: string) =>
    new ApiError(501, `Endpoint ${functionName} is not implemented for ${displayName}`),
  malformedJson: () => new ApiError(400, 'The request body is not valid JSON'),
  badRequest: (message: string) => new ApiError(400, message),
  conflict: (message: string) => new ApiError(409, message),
  keyReused: () => new ApiError(400, 'This Idempotency-Key was used before for another endpoint or body'),
  stillRunning: () => new ApiError(409, 'The first request with this Idempotency-Key is still running'),
  outcomeUnknown: (systemName: string) =>
    new ApiError(
      409,
      `A request with this Idempotency-Key was cut off after it may have reached ${systemName}; whether it took effect is unknown. Check before you send it with a new key`,
    ),
  requestTooSlow: () => new ApiError(408, 'The request did not arrive within 60 s'),
  headersTooLarge: () => new ApiError(431, 'The request line and headers are larger than 16 KiB'),
  bodyTooLarge: () => new ApiError(413, 'The request body is larger than 1 MiB'),
  fileTooLarge: () => new ApiError(413, 'The file is larger than 20 MiB'),
  unsupportedMediaType: (wanted = 'application/json') => new ApiError(415, `The request body must be ${wanted}`),
  validation: (detail: FaultTree) => new ApiError(422, 'Validation error', { detail }),
  rateLimited: (retryAfterSeconds: number) =>
    new ApiError(429, `Too many requests; try again in ${retryAfterSeconds} s`, {
      headers: { 'retry-after': String(retryAfterSeconds) },
    }),
  unexpected: (requestId: string, cause: unknown) =>
    new ApiError(500, `Something went wrong on our side; request id ${requestId}`, { cause }),
  unavailable: (reason: string) => new ApiError(503, reason),
  databaseAway: (cause: unknown) => new ApiError(503, 'The database cannot be reached; try again', { cause }),
  integrationFailed(fault: IntegrationError) {
    const status = statusOf(fault)
    return new ApiError(status, fault.message, {
      origin: 'integration',
      cause: fault,
      ...(status === 422 && { detail: { json: { _schema: [fault.message] } } }),
    })
  },
}

/** A system that finds a request malformed is repeated, what else it refuses is unprocessable. */
const statusOf = ({ fault, status }: IntegrationError) =>
  fault === 'rejected' && status === 400 ? 400 : integrationStatus[fault]

const integrationStatus = {
  credentials: 400,
  permission: 400,
  not_found: 404,
  conflict: 409,
  rejected: 422,
  rate_limited: 502,
  unavailable: 502,
  invalid_response: 502,
  timeout: 504,
} as const
