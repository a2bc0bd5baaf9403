import { type RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { errors } from '../errors.ts'

/**
 * Takes a point of whom `key` names.
 * @param tell is given what is left, also where nothing is
 * @throws ApiError 429 when nothing is left, saying when to come back
 */
export async function consumeOrRefuse(
  limiter: RateLimiterMemory,
  key: string,
  tell: (state: RateLimiterRes) => void = () => {},
): Promise<void> {
  try {
    tell(await limiter.consume(key))
  } catch (refused) {
    if (!(refused instanceof RateLimiterRes)) throw refused
    tell(refused)
    throw errors.rateLimited(Math.max(1, Math.ceil(refused.msBeforeNext / 1000)))
  }
}
