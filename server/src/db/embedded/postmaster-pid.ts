import { execFile } from 'node:child_process'
import { readFile, readlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

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
  const path = join(cluster, 'postmaster.pid')
  const text = await readFile(path, 'utf8')
  await writeFile(path, text.replace(/^\d+/, String(process.pid)))
}
