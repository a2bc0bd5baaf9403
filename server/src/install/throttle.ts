import type { onRequestAsyncHookHandler } from 'fastify'
import { RateLimiterMemory } from 'rate-limiter-flexible'
import { consumeOrRefuse } from '../http/consume-or-refuse.ts'

/**
 * Bounds installs tried within a minute, of each link and of each client address, so that nobody tries out passwords
 * of a third-party system through us. Every process counts for itself.
 */
export function installThrottle(): onRequestAsyncHookHandler {
  const ofLink = new RateLimiterMemory({ points: 10, duration: 60 })
  const ofAddress = new RateLimiterMemory({ points: 30, duration: 60 })
  return async (request) => {
    await consumeOrRefuse(ofAddress, request.ip)
    await consumeOrRefuse(ofLink, request.link.hash.toString('hex'))
  }
}
