import type { App } from './app.ts'

/**
 * Stops accepting and lets running requests finish.
 * @param giveUp ends what requests still wait for after five seconds; those that go on even so lose their connection
 */
export async function closeHttpServer(app: App, giveUp: () => void): Promise<void> {
  const timers = [
    setTimeout(giveUp, patienceMs),
    setTimeout(() => app.server.closeAllConnections(), patienceMs + answerMs),
  ]
  await app.close()
  for (const timer of timers) clearTimeout(timer)
}

const patienceMs = 5000
/** For the answer of a request that was given up. */
const answerMs = 1000
