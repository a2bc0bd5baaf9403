import type { Dispatcher } from 'undici'
import type { WebhookAttempt } from '../db/schema.ts'
import { keepable } from '../keepable.ts'
import { faultWords } from '../network/fault-words.ts'
import { ForbiddenAddress, type NetworkGuard } from '../network/guard.ts'
import { retryAfterSeconds } from '../network/retry-after.ts'

export interface Outcome extends WebhookAttempt {
  succeeded: boolean
  /** 410: the receiver wants nothing more. */
  gone: boolean
  /** What the receiver asked for; 0 without. */
  retryAfterMs: number
}

export interface Post {
  url: string
  headers: Record<string, string>
  body: string
}

/**
 * Posts a message once. Never rejects: whatever happens is the outcome. Null when `cancel` ended it before the receiver
 * had answered.
 */
export async function attempt(
  guard: NetworkGuard,
  post: Post,
  timeoutMs: number,
  cancel: Cancel,
  now: Date,
): Promise<Outcome | null> {
  const started = performance.now()
  const answer = await ask(guard, post, timeoutMs, cancel)
  if (answer === null) return null
  const { status, error, retryAfter, body } = answer
  const succeeded = status !== null && status >= 200 && status < 300
  return {
    attempted_at: now.toISOString(),
    status_code: status,
    error: succeeded ? null : (error ?? reasonOf(status!)),
    answer: keepable(Buffer.concat(body).subarray(0, keptBytes).toString('utf8')),
    duration_ms: Math.round(performance.now() - started),
    succeeded,
    gone: status === 410,
    retryAfterMs: succeeded ? 0 : Math.min((retryAfterSeconds(retryAfter, now) ?? 0) * 1000, longestRetryAfterMs),
  }
}

/** Ends attempts that are under way. */
export type Cancel = Set<() => void>

interface Answer {
  status: number | null
  /** Why there is no status. */
  error: string | null
  retryAfter: string | undefined
  body: Buffer[]
}

const tooLate = new Error('The attempt is over')
const keptBytes = 2048
/** A short rest is read, so that the connection can be used again. */
const readBytes = 64 * 1024

/** The status is what counts: an answer that is too long, too slow or breaks off is as much of it as came. */
function ask(guard: NetworkGuard, { url, headers, body }: Post, timeoutMs: number, cancel: Cancel) {
  return new Promise<Answer | null>((resolve) => {
    const answer: Answer = { status: null, error: null, retryAfter: undefined, body: [] }
    let length = 0
    let request: Dispatcher.DispatchController | undefined
    let ended = false
    const end = (result: Answer | null) => {
      clearTimeout(timer)
      cancel.delete(cancelled)
      ended = true
      resolve(result)
      if (request && !request.aborted) request.abort(tooLate)
    }
    const fail = (error: string) => end(answer.status === null ? { ...answer, error } : answer)
    const cancelled = () => end(answer.status === null ? null : answer)
    const timer = setTimeout(() => fail(`No answer within ${timeoutMs / 1000} s`), timeoutMs)
    cancel.add(cancelled)
    try {
      const { origin, pathname, search } = new URL(url)
      guard.agentFor(url).dispatch(
        { origin, path: pathname + search, method: 'POST', headers, body },
        {
          onRequestStart(controller) {
            request = controller
            if (ended) controller.abort(tooLate)
          },
          onResponseStart(_, status, fields) {
            answer.status = status
            answer.retryAfter = [fields['retry-after']].flat()[0]
          },
          onResponseData(_, chunk) {
            if (length < keptBytes) answer.body.push(chunk)
            length += chunk.length
            if (length > readBytes) end(answer)
          },
          onResponseEnd() {
            request = undefined
            end(answer)
          },
          onResponseError(_, error) {
            request = undefined
            fail(describe(error))
          },
        },
      )
    } catch (error) {
      fail(describe(error as Error))
    }
  })
}

function reasonOf(status: number): string {
  if (status >= 300 && status < 400) return `Answered ${status}: redirects are not followed`
  return `Answered ${status}`
}

const longestRetryAfterMs = 24 * 3_600_000

const describe = (error: Error) => (error instanceof ForbiddenAddress ? error.message : faultWords(error))
