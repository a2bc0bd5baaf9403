import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import type { Logger } from 'pino'

export interface Listener {
  close(): Promise<void>
}

/**
 * Calls `wake` at every notification on a channel, and whenever listening begins anew, as something may have been
 * missed. Holds one connection of its own; whoever listens also polls.
 */
export function listen(url: string, channel: string, wake: () => void, log: Logger): Listener {
  const closing = new AbortController()
  let client: pg.Client | null = null

  const done = (async () => {
    while (!closing.signal.aborted) {
      client = new pg.Client({ connectionString: url, keepAlive: true, application_name: 'crossdock listener' })
      const { promise: ended, resolve: end } = Promise.withResolvers<void>()
      client.on('error', (error) => {
        log.warn({ err: error }, 'listening broke off')
        end()
      })
      client.on('end', end)
      client.on('notification', wake)
      try {
        await client.connect()
        await client.query(`listen ${channel}`)
        wake()
        if (closing.signal.aborted) return void (await client.end())
        await ended
      } catch (error) {
        log.warn({ err: error }, 'listening did not begin')
      }
      await client.end().catch(() => {})
      await wait(1000, undefined, { signal: closing.signal }).catch(() => {})
    }
  })()

  return {
    async close() {
      closing.abort()
      await client?.end().catch(() => {})
      await done
    },
  }
}
