import { ApiError } from '../errors.ts'
import type { Integration } from '../integrations/define.ts'
import { IntegrationError } from '../integrations/fault.ts'

/**
 * Runs what talks to a system within a time limit. Whatever goes wrong there is told as the system's fault: what an
 * integration trips over is an answer that it did not expect.
 * @throws IntegrationError
 */
export async function callSystem<Result>(
  integration: Pick<Integration, 'displayName'>,
  timeLimitMs: number,
  call: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const signal = AbortSignal.timeout(timeLimitMs)
  const { promise: late, reject } = Promise.withResolvers<never>()
  signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  try {
    return await Promise.race([call(signal), late])
  } catch (error) {
    if (error instanceof ApiError || error instanceof IntegrationError) throw error
    if (signal.aborted) {
      throw new IntegrationError('timeout', `${integration.displayName} did not finish within ${timeLimitMs / 1000} s`)
    }
    const message = `${integration.displayName} answered with something that cannot be understood`
    throw new IntegrationError('invalid_response', message, { cause: error })
  }
}
