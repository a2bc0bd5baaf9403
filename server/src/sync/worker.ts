import { setTimeout as wait } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Db } from '../db/schema.ts'
import { crawl } from './crawl.ts'
import { claimDue, type Lease, releaseLease, renewLeases, type Shares } from './leases.ts'
import type { OpenConnection } from './open-connection.ts'

export interface SyncWorkerOptions {
  db: Db
  log: Logger
  /** Null when the connection is gone meanwhile. */
  open(connectionId: string): Promise<OpenConnection | null>
  /** Crawls at a time. */
  concurrency?: number
  pollMs?: number
  /** How long a crawl may go on before others get their turn. */
  sliceMs?: number
  /** How long after its last sign of life a worker's crawls go to others. */
  leaseSeconds?: number
}

export interface SyncWorker {
  /** Crawls under way. */
  readonly running: number
  /** Hands running crawls back at their next page and resolves when they have been. */
  stop(): Promise<void>
}

/** Crawls what is due until stopped. Any number of workers run over one database. */
export function startSyncWorker(options: SyncWorkerOptions): SyncWorker {
  const { db, log, open, concurrency = 24 } = options
  const { pollMs = 500, sliceMs = 60_000, leaseSeconds = 30 } = options
  const enough = Math.ceil(concurrency / 4)
  const bounds = { perConnection: 2, perHost: 4, failing: Math.ceil(concurrency / 2) }
  const running = new Map<Lease, { abort: AbortController; done: Promise<void> }>()
  const stopping = new AbortController()
  let wake: () => void = () => {}

  async function run(lease: Lease, abort: AbortController) {
    try {
      const connection = await open(lease.connectionId)
      if (connection) await crawl({ db, log, now: () => new Date(), sliceMs }, lease, connection, abort.signal)
      else await releaseLease(db, lease, 0, 0)
    } catch (error) {
      log.error({ err: error, connectionId: lease.connectionId, functionName: lease.functionName }, 'crawl broke off')
    } finally {
      running.delete(lease)
      // not for every crawl: claiming several costs no more than claiming one
      if (running.size <= concurrency - enough) wake()
    }
  }

  async function claim() {
    const free = concurrency - running.size
    if (free === 0) return
    const leases = await claimDue(db, free, sharesOf([...running.keys()]), bounds, leaseSeconds)
    for (const lease of leases) {
      for (const [other, { abort }] of running) if (isSameSchedule(lease, other)) abort.abort()
      const abort = new AbortController()
      running.set(lease, { abort, done: Promise.resolve() })
      running.get(lease)!.done = run(lease, abort)
    }
  }

  async function renew() {
    const held = [...running.keys()]
    const kept = new Set(held.length > 0 ? await renewLeases(db, held) : [])
    for (const lease of held) if (!kept.has(lease)) running.get(lease)?.abort.abort()
  }

  const renewals = setInterval(
    () => void renew().catch((error) => log.warn({ err: error }, 'leases not renewed')),
    (leaseSeconds * 1000) / 3,
  )

  const loop = (async () => {
    while (!stopping.signal.aborted) {
      const woken = new Promise<void>((resolve) => {
        wake = resolve
      })
      await claim().catch((error) => log.error({ err: error }, 'no schedules claimed'))
      await Promise.race([woken, wait(pollMs, undefined, { signal: stopping.signal }).catch(() => {})])
    }
  })()

  return {
    get running() {
      return running.size
    },
    async stop() {
      stopping.abort()
      await loop
      for (const { abort } of running.values()) abort.abort()
      await Promise.all([...running.values()].map(({ done }) => done))
      clearInterval(renewals)
    },
  }
}

/** A schedule unpaused at once after a pause is claimed while its old crawl still waits for a page. */
const isSameSchedule = (a: Lease, b: Lease) => a.connectionId === b.connectionId && a.functionName === b.functionName

function sharesOf(leases: readonly Lease[]): Shares {
  const connections = new Map<string, number>()
  const hosts = new Map<string, number>()
  for (const { connectionId, host } of leases) {
    connections.set(connectionId, (connections.get(connectionId) ?? 0) + 1)
    hosts.set(host, (hosts.get(host) ?? 0) + 1)
  }
  return { connections, hosts, failing: leases.filter((lease) => lease.failures > 0).length }
}
