import { startApi } from './api.ts'
import type { Config } from './config.ts'
import { choosePort } from './http/choose-port.ts'
import type { Integration } from './integrations/define.ts'
import { tryton } from './integrations/tryton/index.ts'
import { bootstrapOrganization } from './organizations/organizations.ts'
import { openParts } from './parts.ts'
import { startWorker } from './worker.ts'

export type Role = 'api' | 'worker'

export interface Crossdock {
  /** Where the API listens; null without the role `api`. */
  address: string | null
  publicUrl: string
  /** API key of the organization `default`; only from the start that created it. */
  apiKey: string | null
  /** Finishes requests, hands crawls back, closes everything. */
  stop(): Promise<void>
}

/**
 * Starts the given roles over their shared parts.
 * @param options.integrations offered beside the sandbox; those that come with Crossdock unless given
 */
export async function startCrossdock(
  given: Config,
  roles: readonly Role[],
  { integrations = [tryton] }: { integrations?: readonly Integration[] } = {},
): Promise<Crossdock> {
  const config = await choosePort(given)
  const stops = { api: stopStack(), worker: stopStack(), parts: stopStack() }
  /** The roles side by side, so that a slow request does not keep crawls from being handed back. */
  const stop = async () => {
    await Promise.all([stops.api.stop(), stops.worker.stop()])
    await stops.parts.stop()
  }
  try {
    const parts = await openParts(config, { integrations, works: roles.includes('worker') }, stops.parts.add)
    // only who has a banner may make a key, or nobody would see it
    const apiKey = roles.includes('api') ? await bootstrapOrganization(parts.db, config.bootstrapApiKey) : null
    if (roles.includes('worker')) await startWorker(parts, stops.worker.add)
    const address = roles.includes('api') ? await startApi(parts, stops.api.add) : null
    return { address, publicUrl: config.publicUrl, apiKey, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** What is to be stopped, the last started first. */
function stopStack() {
  const stops: (() => Promise<unknown>)[] = []
  return {
    add: (stop: () => Promise<unknown>) => void stops.unshift(stop),
    async stop() {
      for (const each of stops.splice(0)) await each()
    },
  }
}
