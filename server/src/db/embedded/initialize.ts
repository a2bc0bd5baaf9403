import { chown, mkdir, open, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { runAs } from './account.ts'
import type { Binaries } from './binaries.ts'
import type { Placement } from './placement.ts'
import { generatePassword, superuser } from './superuser.ts'

/**
 * Creates the cluster beside its place and moves it there when it is complete and on disk, so that an interrupted
 * first start leaves nothing that looks like a cluster.
 */
export async function createInitializedCluster(options: Placement & { binaries: Binaries }): Promise<void> {
  const { dataDir, cluster, account, binaries } = options
  const unfinished = `${cluster}.new`
  const passwordFile = join(unfinished, 'password')
  await rm(unfinished, { recursive: true, force: true })
  await mkdir(unfinished, { mode: 0o700 })
  await writeFile(passwordFile, await generatePassword(dataDir), { mode: 0o600 })
  if (account) {
    await chown(passwordFile, account.uid, account.gid)
    await chown(unfinished, account.uid, account.gid)
  }
  const args = ['--pgdata', join(unfinished, 'cluster'), '--username', superuser, '--pwfile', passwordFile]
  args.push('--auth=scram-sha-256', '--encoding=UTF8', '--locale=C', '-c', 'timezone=UTC', '-c', 'log_timezone=UTC')
  try {
    await runAs(account, binaries.initdb, args)
    await rename(join(unfinished, 'cluster'), cluster)
    await syncFolder(dirname(cluster))
  } catch (cause) {
    const { stderr, message } = cause as Error & { stderr?: string }
    throw new Error(`PostgreSQL could not create a cluster in ${cluster}: ${(stderr || message).trim()}`, { cause })
  } finally {
    await rm(unfinished, { recursive: true, force: true })
  }
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path)
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
