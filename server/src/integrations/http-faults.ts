import { STATUS_CODES } from 'node:http'
import { errors } from 'undici'
import { faultWords, isTlsFault } from '../network/fault-words.ts'
import type { IntegrationFault } from './fault.ts'
import type { HttpAnswer } from './http.ts'
import { AttemptTimeout } from './http-attempt.ts'
import type { Repeat } from './retry.ts'

/** The reading of an answer by its status, for calls without a `judge` and for judges to fall back on. */
export function judgeByStatus(answer: HttpAnswer): { fault: IntegrationFault; message: string } | null {
  const { status } = answer
  if (status < 300) return null
  if (status < 400) return { fault: 'invalid_response', message: redirectMessage(answer) }
  const said = vendorMessage(answer.body)
  const answered = `The system answered ${[status, STATUS_CODES[status]].filter(Boolean).join(' ')}`
  return {
    fault: faultByStatus[status] ?? (status < 500 ? 'rejected' : 'unavailable'),
    message: said ? `${answered}: ${said}` : answered,
  }
}

/** When the call behind a failed answer may be repeated. */
export function repeatAfterAnswer(fault: IntegrationFault, status: number): Repeat {
  if (fault === 'rate_limited') return 'always'
  // Below 500 it is the vendor's own reading; a plain 500 comes back the same.
  const passing = status < 500 || status === 502 || status === 503 || status === 504
  return passing && (fault === 'unavailable' || fault === 'timeout') ? 'if_repeatable' : 'never'
}

/** What an attempt without an answer means; null for an error that is not the network's. */
export function networkFault(error: unknown): { fault: IntegrationFault; message: string; repeat: Repeat } | null {
  if (error instanceof AttemptTimeout) return { fault: 'timeout', message: error.message, repeat: 'if_repeatable' }
  if (error instanceof errors.HTTPParserError || error instanceof errors.HeadersOverflowError) {
    return { fault: 'invalid_response', message: 'The system did not answer with valid HTTP', repeat: 'never' }
  }
  if (!(error instanceof Error && 'code' in error) || error.code === 'UND_ERR_INVALID_ARG') return null
  const code = String(error.code)
  if (/^Z_|^ERR_.*BROTLI|^ERR__ERROR_FORMAT/.test(code)) {
    return { fault: 'invalid_response', message: 'The answer of the system cannot be decompressed', repeat: 'never' }
  }
  const message = faultWords(error)
  if (isTlsFault(code)) return { fault: 'unavailable', message, repeat: 'never' }
  const fault = code === 'UND_ERR_CONNECT_TIMEOUT' || code === 'ETIMEDOUT' ? 'timeout' : 'unavailable'
  return { fault, message, repeat: nothingSent(error) ? 'always' : 'if_repeatable' }
}

/** Text that a JSON error body explains itself with, in the places vendors put it. */
function vendorMessage(body: unknown, depth = 0): string | null {
  if (typeof body === 'string') return depth > 0 && body.trim() ? body : null
  if (body === null || typeof body !== 'object' || depth > 3) return null
  const places = Array.isArray(body) ? body.slice(0, 1) : messageKeys.map((key) => Reflect.get(body, key))
  for (const place of places) {
    const found = vendorMessage(place, depth + 1)
    if (found) return found
  }
  return null
}

function redirectMessage(answer: HttpAnswer): string {
  const target = URL.parse(answer.headers.get('location') ?? '')
  const where = target ? ` to ${target.origin}${target.pathname}` : ''
  return `The system redirects${where} (${answer.status}); redirects are not followed`
}

function nothingSent(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.length > 0 && error.errors.every(nothingSent)
  const { code, syscall } = error as NodeJS.ErrnoException
  return code === 'UND_ERR_CONNECT_TIMEOUT' || syscall === 'connect' || syscall === 'getaddrinfo'
}

const faultByStatus: Readonly<Record<number, IntegrationFault>> = {
  401: 'credentials',
  403: 'permission',
  404: 'not_found',
  409: 'conflict',
  429: 'rate_limited',
  504: 'timeout',
}

const messageKeys = ['message', 'error_description', 'error_message', 'detail', 'error', 'errors', 'title']
