import { constants, existsSync } from 'node:fs'
import { access, chmod, lstat, mkdir, mkdtemp, realpath, rm, stat, symlink } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { type Account, canEnter, findUnprivilegedAccount } from './account.ts'

/** Where root keeps what an account without privileges must reach. */
export const systemFolder = '/var/lib/crossdock'

export interface Placement {
  /** Absolute, exists, can be written by us. */
  dataDir: string
  /** Real path of the cluster; an absent or empty folder when it is yet to be initialized. */
  cluster: string
  /** Who runs PostgreSQL; undefined = we ourselves. */
  account: Account | undefined
}

/**
 * Decides where the cluster lives. That is `<dataDir>/postgres`; where root's PostgreSQL cannot enter `dataDir`, it is
 * a link into /var/lib/crossdock, so that the data directory can be moved and never loses its cluster.
 */
export async function placeCluster(dataDirOption: string): Promise<Placement> {
  const dataDir = await makeWritable(resolve(dataDirOption))
  const path = join(dataDir, 'postgres')
  const existing = await follow(path)
  const owner = existing && (await stat(existing))
  const uid = process.getuid?.()
  if (uid !== 0) {
    if (owner && owner.uid !== uid) {
      throw new Error(`${existing} belongs to the account with id ${owner.uid}: start as that account or as root`)
    }
    return { dataDir, cluster: existing ?? path, account: undefined }
  }
  // PostgreSQL only serves a cluster that belongs to its account, so the account that made it stays the one to run it.
  const account = owner && owner.uid !== 0 ? { uid: owner.uid, gid: owner.gid } : await findUnprivilegedAccount()
  if (existing) {
    if (isInitialized(existing) && !(await canEnter(account, existing))) {
      throw new Error(`The account with id ${account.uid} that PostgreSQL runs under can no longer enter ${existing}`)
    }
    return { dataDir, cluster: existing, account }
  }
  return { dataDir, cluster: (await canEnter(account, dataDir)) ? path : await placeElsewhere(path), account }
}

export const isInitialized = (cluster: string) => existsSync(join(cluster, 'PG_VERSION'))

async function makeWritable(dataDir: string): Promise<string> {
  try {
    await mkdir(dataDir, { recursive: true })
    await access(dataDir, constants.W_OK | constants.X_OK)
    return await realpath(dataDir)
  } catch (cause) {
    throw new Error(`The data directory ${dataDir} cannot be written: ${(cause as Error).message}`, { cause })
  }
}

/** The real path behind `path`, or undefined where nothing is. */
async function follow(path: string): Promise<string | undefined> {
  try {
    return await realpath(path)
  } catch (cause) {
    const dangling = await lstat(path).catch(() => undefined)
    if (!dangling) return undefined
    throw new Error(`${path} leads to a cluster that is gone; restore it, or remove the link to begin anew`, { cause })
  }
}

async function placeElsewhere(path: string): Promise<string> {
  await mkdir(systemFolder, { recursive: true })
  const folder = await mkdtemp(join(systemFolder, 'cluster-'))
  await chmod(folder, 0o755)
  const cluster = join(folder, 'postgres')
  await mkdir(cluster)
  try {
    await symlink(cluster, path)
  } catch (error) {
    await rm(folder, { recursive: true })
    // Another start was quicker; the lock will tell the two apart.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  return realpath(path)
}
