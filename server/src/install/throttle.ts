import type { onRequestAsyncHookHandler } from 'fastify'
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { errors } from '../errors.ts'

/**
 * Bounds installs tried within a minute, of each link and of each client address, so that nobody tries out passwords
 * of a third-party system through us. Every process counts for itself.
 */
export function installThrottle(): onRequestAsyncHookHandler {
  const ofLink = new RateLimiterMemory({ points: 10, duration: 60 })
  const ofAddress = new RateLimiterMemory({ points: 30, duration: 60 })
  return async (request) => {
    try {
      await ofAddress.consume(request.ip)
      await ofLink.consume(request.link.hash.toString('hex'))
    } catch (refused) {
      if (!(refused instanceof RateLimiterRes)) throw refused
      throw errors.rateLimited(Math.max(1, Math.ceil(refused.msBeforeNext / 1000)))
    }
  }
}
