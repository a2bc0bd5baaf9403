import type { Dispatcher } from 'undici'
import { createNetworkGuard, ForbiddenAddress, type NetworkGuardOptions } from '../network/guard.ts'
import { retryAfterSeconds } from '../network/retry-after.ts'
import { IntegrationError, type IntegrationFault } from './fault.ts'
import type { CallOptions, HttpAnswer, IntegrationHttp } from './http.ts'
import { type Attempt, attempt } from './http-attempt.ts'
import { judgeByStatus, networkFault, repeatAfterAnswer } from './http-faults.ts'
import { defaultHeaders, mergeHeaders, parseBase, resolveUrl } from './http-request.ts'
import { createRedaction } from './redaction.ts'
import { defaultRetry, pause, type Repeat, type RetryPolicy, retryWaitMs } from './retry.ts'
import { throttle } from './throttle.ts'

/** One attempt sent onward, for the request log. */
export interface SentCall {
  /** Without credentials: what is named or known as a secret is masked here and in `body`. */
  url: string
  method: string
  /** The JSON value sent, or null. */
  body: unknown
  /** Null where no complete answer came. */
  status: number | null
  durationMs: number
}

export interface CreateHttpOptions extends NetworkGuardOptions {
  record?: (call: SentCall) => void
  /** Ends every call at once; they reject with its reason. */
  signal?: AbortSignal
  /** Values that must not show up in messages and recorded calls. */
  secrets?: readonly string[]
  retry?: Partial<RetryPolicy>
}

/**
 * The one way integrations reach their systems. Calls that may be repeated are, after network errors, time-outs, 429,
 * 502, 503 and 504; others only where it is certain that nothing was done. Failed calls reject with `IntegrationError`.
 */
export function createHttp(options: CreateHttpOptions): IntegrationHttp {
  const { record, signal } = options
  const guard = createNetworkGuard(options)
  const policy = { ...defaultRetry, ...options.retry }
  const redaction = createRedaction(options.secrets ?? [])

  return {
    at(baseUrl, base = {}) {
      const root = parseBase(baseUrl)
      return {
        get: (path, call = {}) => perform('GET', path, { ...call, repeatable: true }),
        send: (method, path, call = {}) => perform(method, path, call),
      }

      async function perform(method: Dispatcher.HttpMethod, path: string, call: CallOptions): Promise<HttpAnswer> {
        const url = resolveUrl(root, path, call.query)
        const body = call.body === undefined ? null : JSON.stringify(call.body)
        const headers = mergeHeaders({ 'user-agent': 'Crossdock', ...defaultHeaders(body) }, base.headers, call.headers)
        const startedAt = performance.now()
        for (let count = 1; ; count++) {
          const outcome = await once({ url, method, headers, body })
          if ('answer' in outcome) return outcome.answer
          const { error, repeat } = outcome
          const again = repeat === 'always' || (repeat === 'if_repeatable' && call.repeatable)
          const waitMs = again
            ? retryWaitMs(policy, {
                attempt: count,
                elapsedMs: performance.now() - startedAt,
                retryAfterSeconds: error.retryAfterSeconds,
              })
            : null
          if (waitMs === null) throw error
          await pause(waitMs, signal)
        }
      }

      async function once(sent: Pick<Attempt, 'url' | 'method' | 'headers' | 'body'>): Promise<Outcome> {
        const dispatcher = agentFor(sent.url)
        signal?.throwIfAborted()
        if (base.requestsPerSecond) await throttle(sent.url.origin, base.requestsPerSecond, signal)
        const startedAt = performance.now()
        const log = (status: number | null) =>
          record?.({
            url: redaction.url(sent.url),
            method: sent.method,
            body: sent.body === null ? null : redaction.json(JSON.parse(sent.body)),
            status,
            durationMs: performance.now() - startedAt,
          })
        let answer: HttpAnswer
        try {
          answer = await attempt({ ...sent, dispatcher, signal, timeoutMs: base.timeoutMs ?? defaultTimeoutMs })
        } catch (error) {
          if (error instanceof ForbiddenAddress) throw failure(sent.url, 'rejected', error.message)
          log(error instanceof IntegrationError ? error.status : null)
          signal?.throwIfAborted()
          if (error instanceof IntegrationError) {
            const { fault, message, status, cause } = error
            throw failure(sent.url, fault, message, { ...(status !== null && { status }), cause })
          }
          const found = networkFault(error)
          if (!found) throw error
          // what may always be repeated was never sent
          const details = { cause: error, ...(found.repeat === 'always' && { effectUnknown: false }) }
          return { error: failure(sent.url, found.fault, found.message, details), repeat: found.repeat }
        }
        log(answer.status)
        return judged(sent.url, answer)
      }

      function judged(url: URL, answer: HttpAnswer): Outcome {
        const { status, headers } = answer
        const redirected = status >= 300 && status < 400
        const verdict = base.judge?.(answer) ?? (!base.judge || redirected ? judgeByStatus(answer) : null)
        if (!verdict) return { answer }
        const seconds = retryAfterSeconds(headers.get('retry-after'), new Date())
        const details = { status, ...(seconds !== null && { retryAfterSeconds: seconds }) }
        const error = failure(url, verdict.fault, verdict.message, details)
        return { error, repeat: repeatAfterAnswer(verdict.fault, status) }
      }
    },
  }

  function agentFor(url: URL): Dispatcher {
    try {
      return guard.agentFor(url)
    } catch (error) {
      if (error instanceof ForbiddenAddress) throw failure(url, 'rejected', error.message)
      throw error
    }
  }

  function failure(
    url: URL,
    fault: IntegrationFault,
    message: string,
    details: ConstructorParameters<typeof IntegrationError>[2] = {},
  ): IntegrationError {
    const shown = redaction.text(message).replace(/\s+/g, ' ').trim()
    const cut = shown.length > longestMessage ? `${shown.slice(0, longestMessage - 1)}…` : shown
    return new IntegrationError(fault, cut, { ...details, url: redaction.text(`${url.origin}${url.pathname}`) })
  }
}

type Outcome = { answer: HttpAnswer } | { error: IntegrationError; repeat: Repeat }

const defaultTimeoutMs = 30_000
const longestMessage = 500
