import { setTimeout } from 'node:timers/promises'

/** Which calls a failed attempt may be repeated for: all (it is certain that nothing was done), those that are harmless to repeat, or none. */
export type Repeat = 'always' | 'if_repeatable' | 'never'

export interface RetryPolicy {
  attempts: number
  /** Wait before the second attempt; doubled for each further one. */
  baseMs: number
  /** The longest a system may make us wait; longer, and the call fails with what it asked for. */
  longestWaitMs: number
  /** No attempt begins later than this after the first. */
  windowMs: number
}

export const defaultRetry: RetryPolicy = { attempts: 3, baseMs: 500, longestWaitMs: 30_000, windowMs: 90_000 }

/** How long to wait before the next attempt in ms, or null to give up. */
export function retryWaitMs(
  policy: RetryPolicy,
  state: { attempt: number; elapsedMs: number; retryAfterSeconds: number | null },
  random: () => number = Math.random,
): number | null {
  if (state.attempt >= policy.attempts) return null
  const askedMs = (state.retryAfterSeconds ?? 0) * 1000
  if (askedMs > policy.longestWaitMs) return null
  const backoffMs = policy.baseMs * 2 ** (state.attempt - 1) * (0.5 + random())
  const waitMs = Math.max(askedMs, backoffMs)
  return state.elapsedMs + waitMs > policy.windowMs ? null : waitMs
}

/** Rejects with the signal's reason when aborted. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  await setTimeout(ms, undefined, signal ? { signal } : {}).catch(() => signal?.throwIfAborted())
}
