import type { FastifyReply, FastifyRequest, onRequestAsyncHookHandler } from 'fastify'
import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible'
import { isRead } from './authenticate.ts'
import { consumeOrRefuse } from './consume-or-refuse.ts'

/**
 * Bounds requests per second of each access token, or of the API key where no token is sent. Every process counts for
 * itself.
 * @param limits requests per second; 0 turns a limit off
 */
export function rateLimiter(limits: { readPerSecond: number; writePerSecond: number }): onRequestAsyncHookHandler {
  const reads = limiterOf(limits.readPerSecond)
  const writes = limiterOf(limits.writePerSecond)
  return async (request, reply) => {
    const caller = callerOf(request)
    const limiter = isRead(request) ? reads : writes
    if (caller === null || limiter === null) return
    await consumeOrRefuse(limiter, caller, (state) => describe(reply, limiter, state))
  }
}

const limiterOf = (points: number) => (points > 0 ? new RateLimiterMemory({ points, duration: 1 }) : null)

function callerOf(request: FastifyRequest): string | null {
  if (request.connection) return `connection ${request.connection.id}`
  const key = request.headers['x-service-api-key']
  return request.organizationId && typeof key === 'string' ? key : null
}

function describe(reply: FastifyReply, limiter: RateLimiterMemory, state: RateLimiterRes) {
  reply.headers({
    'x-ratelimit-limit': String(limiter.points),
    'x-ratelimit-remaining': String(Math.max(0, state.remainingPoints)),
    'x-ratelimit-reset': String(Math.ceil((Date.now() + state.msBeforeNext) / 1000)),
  })
}
