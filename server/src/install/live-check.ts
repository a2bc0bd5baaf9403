import { type Account, type Credentials, type Integration, readAction, secretsOf } from '../integrations/define.ts'
import { IntegrationError } from '../integrations/fault.ts'
import type { IntegrationHttp } from '../integrations/http.ts'
import type { RetryPolicy } from '../integrations/retry.ts'
import { readUrlOf } from '../resources/documented-path.ts'

export type MakeHttp = (options: {
  signal: AbortSignal
  secrets: readonly string[]
  retry: Partial<RetryPolicy>
}) => IntegrationHttp

export interface MissingPermission {
  function_name: string
  /** For example `GET /wms/orders`. */
  endpoint: string
}

export interface LiveCheck {
  me: Account | null
  missingPermissions: MissingPermission[]
}

/**
 * Connects to a system with what was typed, proves the login, then asks for a first page of each read function to find
 * those that the login has no permission for. Other faults of a single function are left to its first crawl.
 * @param functions the read functions that will be synced
 * @param left aborted when nobody waits for the outcome any more
 * @throws IntegrationError when the system cannot be reached or does not accept the login
 */
export async function checkLive(
  integration: Integration,
  credentials: Credentials,
  functions: readonly string[],
  makeHttp: MakeHttp,
  now: Date,
  left: AbortSignal,
): Promise<LiveCheck> {
  const ending = new AbortController()
  const end = () => ending.abort(new IntegrationError('timeout', 'It takes too long'))
  const signal = AbortSignal.any([ending.signal, left])
  const http = makeHttp({ signal, secrets: secretsOf(integration, credentials), retry: { attempts: 2 } })
  let timer = setTimeout(end, connectTimeoutMs)
  try {
    const client = await integration.connect(credentials, http)
    const me = await integration.account(client)
    clearTimeout(timer)
    timer = setTimeout(end, probeTimeoutMs)
    const missingPermissions = await findMissing(integration, client, functions, now)
    left.throwIfAborted()
    return { me, missingPermissions }
  } finally {
    clearTimeout(timer)
    ending.abort()
  }
}

const connectTimeoutMs = 45_000
const probeTimeoutMs = 20_000
const probesAtOnce = 4

async function findMissing(integration: Integration, client: unknown, functions: readonly string[], now: Date) {
  const missing: MissingPermission[] = []
  const waiting = [...functions]
  const probe = async () => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
      if (await isForbidden(integration, client, name, now)) {
        missing.push({ function_name: name, endpoint: readUrlOf(readAction(integration, name).resource) })
      }
    }
  }
  await Promise.all(Array.from({ length: probesAtOnce }, probe))
  return missing.sort((a, b) => a.function_name.localeCompare(b.function_name))
}

async function isForbidden(integration: Integration, client: unknown, name: string, now: Date): Promise<boolean> {
  const { mode, page } = readAction(integration, name)
  try {
    await page(client, { since: mode === 'incremental' ? now : null, until: now, cursor: null })
    return false
  } catch (error) {
    if (!(error instanceof IntegrationError)) return false
    if (error.fault === 'credentials') throw error
    return error.fault === 'permission'
  }
}
