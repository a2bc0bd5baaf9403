import { execFile } from 'node:child_process'
import { open, readFile, readlink, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'

/** From making its file a server goes on to write into it at once: one empty for longer has nobody behind it. */
const emptyMs = 500

/** What PostgreSQL says of itself in `postmaster.pid`: line 1 the process id, line 8 the state. */
export async function readPostmasterPid(cluster: string): Promise<{ pid: number; ready: boolean } | undefined> {
  const text = await readFile(join(cluster, 'postmaster.pid'), 'utf8').catch(() => '')
  const lines = text.split('\n')
  const pid = Number(lines[0])
  return pid > 0 ? { pid, ready: lines[7]?.trim() === 'ready' } : undefined
}

/** Whether the process lives (a zombie does not) and is the server of this cluster, not a stranger with a reused id. */
export async function isPostmasterOf(pid: number, cluster: string): Promise<boolean> {
  try {
    // A postmaster's working directory is its cluster.
    if (process.platform === 'linux') return (await readlink(`/proc/${pid}/cwd`)) === cluster
    const { stdout } = await promisify(execFile)('ps', ['-ww', '-o', 'command=', '-p', String(pid)])
    return stdout.includes(`-D ${cluster} `)
  } catch {
    return false
  }
}

/**
 * Keeps PostgreSQL from taking a stranger with the dead postmaster's id for a running server: a file that names its own
 * parent, us, counts as stale. The file stays, because by its shared memory key leftover backends are found.
 */
export async function disownStalePid(cluster: string): Promise<void> {
  const file = await open(join(cluster, 'postmaster.pid'), 'r+')
  try {
    const text = (await file.readFile('utf8')).replace(/^\d+/, String(process.pid))
    // Over what is there, never first emptied: we may be killed between any two steps.
    const { bytesWritten } = await file.write(text, 0)
    await file.truncate(bytesWritten)
  } finally {
    await file.close()
  }
}

/** Takes a file out of the way that was left empty by a kill or a crash; PostgreSQL refuses to start while it is there. */
export async function removeEmptyPid(cluster: string): Promise<void> {
  const path = join(cluster, 'postmaster.pid')
  const isEmpty = () =>
    stat(path).then(
      ({ size }) => size === 0,
      () => false,
    )
  if (!(await isEmpty())) return
  await sleep(emptyMs)
  if (await isEmpty()) await rm(path, { force: true })
}
