import { setTimeout as sleep } from 'node:timers/promises'
import { type Postmaster, startPostmaster, stopLeftoverPostmaster } from './postmaster.ts'

const retryMs = 1_000

/** Starts the server, and whenever it ends by itself starts it again on the same port, until it is stopped. */
export async function supervisePostmaster(
  options: Parameters<typeof startPostmaster>[0],
): Promise<Pick<Postmaster, 'port' | 'stop'>> {
  const { cluster, log } = options
  let postmaster = await startPostmaster(options)
  const { port } = postmaster
  const stopping = new AbortController()
  const stopped = new Promise<null>((resolve) => stopping.signal.addEventListener('abort', () => resolve(null)))

  async function startAgain() {
    while (!stopping.signal.aborted) {
      try {
        await stopLeftoverPostmaster(cluster, log)
        postmaster = await startPostmaster({ ...options, port })
        log.info('PostgreSQL runs again')
        return
      } catch (error) {
        log.warn(`${(error as Error).message}\nIt is tried again`)
        await sleep(retryMs)
      }
    }
  }

  const supervision = (async () => {
    while (!stopping.signal.aborted) {
      const end = await Promise.race([stopped, postmaster.ended])
      if (end === null) return
      log.warn(`PostgreSQL ended by itself (${end}); it is started again; see ${cluster}.log.1`)
      await startAgain()
    }
  })()

  return {
    port,
    async stop() {
      stopping.abort()
      await supervision
      await postmaster.stop()
    },
  }
}
