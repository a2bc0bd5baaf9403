import { LRUCache } from 'lru-cache'
import { pause } from './retry.ts'

/**
 * Waits for this process's next turn at an origin: turns are `1 / requestsPerSecond` apart, over all callers of the
 * origin. Rejects with the signal's reason when aborted.
 */
export async function throttle(origin: string, requestsPerSecond: number, signal?: AbortSignal): Promise<void> {
  const now = performance.now()
  const turnAt = Math.max(now, nextTurnAt.get(origin) ?? 0)
  nextTurnAt.set(origin, turnAt + 1000 / requestsPerSecond)
  if (turnAt > now) await pause(turnAt - now, signal)
}

const nextTurnAt = new LRUCache<string, number>({ max: 10_000 })
