import type { LookupAddress } from 'node:dns'
import { promisify } from 'node:util'
import { errors } from '../errors.ts'
import { ForbiddenAddress, type NetworkGuard } from '../network/guard.ts'

/**
 * Refuses an address that must not be asked, by its host and by what its name leads to now; each connection asks again.
 * A name that does not resolve at this moment is let through.
 * @throws ApiError 422 at `json.url`
 */
export async function checkEndpointAddress(guard: NetworkGuard, url: string): Promise<void> {
  try {
    guard.checkUrl(url)
    await resolved(guard, new URL(url).hostname.replace(/^\[|\]$/g, ''))
  } catch (error) {
    if (error instanceof ForbiddenAddress) throw errors.validation({ json: { url: [error.message] } })
    throw error
  }
}

const patienceMs = 3_000

async function resolved(guard: NetworkGuard, hostname: string): Promise<void> {
  const lookup = promisify<string, object, LookupAddress[]>(guard.lookup as never)
  const { promise: late, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, patienceMs)
  const found = lookup(hostname, { all: true }).then(
    () => {},
    (error) => {
      if (error instanceof ForbiddenAddress) throw error
    },
  )
  await Promise.race([found, late]).finally(() => clearTimeout(timer))
}
