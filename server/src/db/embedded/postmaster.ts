import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../free-port.ts'
import { type Account, cleanEnvironment } from './account.ts'
import type { Binaries } from './binaries.ts'
import { disownStalePid, isPostmasterOf, readPostmasterPid, removeEmptyPid } from './postmaster-pid.ts'
import { openServerLog, type ServerLog } from './server-log.ts'

export interface Log {
  info(message: string): void
  warn(message: string): void
}

export interface Postmaster {
  port: number
  /** Resolves when the server has ended, to its exit code or signal. */
  ended: Promise<string>
  /** Fast shutdown: sessions are ended, everything is written, the process is gone. */
  stop(): Promise<void>
}

/** Together below the ten seconds in which the service promises to end. */
const fastShutdownMs = 6_000
const immediateShutdownMs = 3_000
/** Backends of a killed postmaster notice its death within this time unless the machine is stuck. */
const leftoverBackendsMs = 15_000
const pollMs = 15

/** Starts the server and waits until it accepts connections, however long recovery takes; throws if it ends instead. */
export async function startPostmaster(options: {
  binaries: Binaries
  cluster: string
  account: Account | undefined
  log: Log
  /** Any free one where it is left out. */
  port?: number
}): Promise<Postmaster> {
  const serverLog = await openServerLog(`${options.cluster}.log`)
  try {
    const giveUpAt = Date.now() + leftoverBackendsMs
    for (;;) {
      const postmaster = await launch(options, serverLog)
      if (postmaster) return postmaster
      const said = await serverLog.read()
      // Left by a run that was killed before its server had told its process id; only ours may be here.
      const late = /lock file "postmaster.pid" (already exists|is empty)/.test(said)
      const passes = late || /Address already in use|pre-existing shared memory block/.test(said)
      if (!passes || Date.now() > giveUpAt) throw new Error(`PostgreSQL did not start. Its log ends:\n${tail(said)}`)
      if (late) await stopLeftoverPostmaster(options.cluster, options.log)
      await sleep(100)
    }
  } finally {
    await serverLog.close()
  }
}

/** Ends the server that a killed run left on the cluster; its sessions and settings are that run's, not ours. */
export async function stopLeftoverPostmaster(cluster: string, log: Log): Promise<void> {
  await removeEmptyPid(cluster)
  const pid = (await readPostmasterPid(cluster))?.pid
  if (pid === undefined) return
  if (!(await isPostmasterOf(pid, cluster))) {
    log.info('The last run did not stop PostgreSQL in order: it recovers now')
    await disownStalePid(cluster)
    return
  }
  log.info(`Stopping the PostgreSQL that a killed run left behind as process ${pid}`)
  await shutDown(pid, cluster, log)
}

/** Resolves to undefined when the process ends before it is ready. */
async function launch(
  { binaries, cluster, account, log, port: wantedPort }: Parameters<typeof startPostmaster>[0],
  serverLog: ServerLog,
): Promise<Postmaster | undefined> {
  const port = wantedPort ?? (await freePort())
  const settings = [`port=${port}`, 'listen_addresses=127.0.0.1', 'unix_socket_directories=', 'max_connections=100']
  settings.push('shared_buffers=128MB', 'log_checkpoints=off', 'logging_collector=off', 'log_destination=stderr')
  // In a session of its own, so that Ctrl-C reaches us alone and we stop it after our last query.
  const child = spawn(binaries.postgres, ['-D', cluster, ...settings.flatMap((setting) => ['-c', setting])], {
    ...account,
    cwd: '/',
    env: cleanEnvironment(),
    detached: true,
    stdio: ['ignore', serverLog.fd, serverLog.fd],
  })
  await once(child, 'spawn')
  child.unref()
  const pid = child.pid!
  let ended = false
  const end = new Promise<string>((resolve) => {
    child.once('exit', (code, signal) => {
      ended = true
      resolve(signal ?? `code ${code}`)
    })
  })
  const startedAt = Date.now()
  let toldRecovery = false
  for (;;) {
    if (ended) return undefined
    const file = await readPostmasterPid(cluster)
    if (file?.pid === pid && file.ready) break
    if (!toldRecovery && Date.now() - startedAt > 5_000) {
      log.info('PostgreSQL is still recovering from a run that was not stopped in order')
      toldRecovery = true
    }
    await sleep(pollMs)
  }
  return {
    port,
    ended: end,
    async stop() {
      if (!ended) await shutDown(pid, cluster, log)
    },
  }
}

async function shutDown(pid: number, cluster: string, log: Log): Promise<void> {
  signal(pid, 'SIGINT')
  if (await isGone(pid, cluster, fastShutdownMs)) return
  log.warn('PostgreSQL does not shut down in time: it is told to end at once and recovers at the next start')
  signal(pid, 'SIGQUIT')
  if (await isGone(pid, cluster, immediateShutdownMs)) return
  throw new Error(`PostgreSQL (process ${pid}) does not end; see ${cluster}.log`)
}

/** A process that ended in the meantime is what a signal to it wants. */
function signal(pid: number, name: 'SIGINT' | 'SIGQUIT'): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

async function isGone(pid: number, cluster: string, timeoutMs: number): Promise<boolean> {
  const giveUpAt = Date.now() + timeoutMs
  while (await isPostmasterOf(pid, cluster)) {
    if (Date.now() > giveUpAt) return false
    await sleep(pollMs)
  }
  return true
}

const tail = (text: string) => text.trim().split('\n').slice(-15).join('\n')
