import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { Counter, type Registry } from 'prom-client'
import type { ApiLog, NewEntry } from './api-log.ts'
import type { WriteBatch } from './write-batch.ts'

export interface WriterLimits {
  /** An entry waits at most this long for its batch. */
  flushMs: number
  batchEntries: number
  batchBytes: number
  /** Beyond these, entries of reads are dropped; beyond twice as much, all are. */
  queuedEntries: number
  queuedBytes: number
  /** How long an answer waits for its entry. */
  durableMs: number
  /** How long closing may take when the database fails. */
  closeMs: number
}

/**
 * Gathers entries and writes them in batches; where many wait, one batch is made ready while another is written. Durable
 * entries start a batch at once and share it with whatever arrived meanwhile. A failing database is tried again; what
 * does not fit in memory until then is dropped, counted and told.
 */
export function createLogWriter(
  write: WriteBatch,
  log: Logger,
  metrics: Registry,
  limits: WriterLimits,
): Pick<ApiLog, 'append' | 'close'> {
  const queue: Queued[] = []
  let held = { entries: 0, bytes: 0 }
  const working = new Set<Promise<void>>()
  let timer: NodeJS.Timeout | null = null
  let closeBy: number | null = null
  const droppedTotal = new Counter({
    name: 'crossdock_api_log_dropped_total',
    help: 'API log entries not written: too many were waiting, or the database failed',
    labelNames: ['reason'],
    registers: [metrics],
  })
  const lateTotal = new Counter({
    name: 'crossdock_api_log_late_total',
    help: 'Answers to writes that were sent before their API log entry was durable',
    registers: [metrics],
  })
  const tellDropped = oncePerSecond((count) => log.error({ entries: count }, 'API log entries dropped'))
  const tellLate = oncePerSecond((count) => log.warn({ entries: count }, 'answers sent before their API log entry'))

  function drop(reason: 'overload' | 'database', count: number) {
    droppedTotal.inc({ reason }, count)
    tellDropped(count)
  }

  function start() {
    if (timer) clearTimeout(timer)
    timer = null
    if (working.size === batchesAtOnce || (working.size > 0 && queue.length < limits.batchEntries)) return
    const begun = Promise.resolve()
      .then(work)
      .finally(() => {
        working.delete(begun)
        if (queue.length > 0) schedule(queue.some(({ written }) => written))
      })
    working.add(begun)
  }

  function schedule(durable: boolean) {
    if (durable || queue.length >= limits.batchEntries) start()
    else timer ??= setTimeout(start, limits.flushMs)
  }

  async function work() {
    do {
      const batch = takeBatch(queue, limits)
      if (batch.length === 0) return
      const durable = batch.some(({ written }) => written)
      await writeBatch(
        batch.map(({ entry }) => entry),
        durable,
      )
      held = { entries: held.entries - batch.length, bytes: held.bytes - bytesOf(batch) }
      for (const { written } of batch) written?.()
    } while (queue.length >= limits.batchEntries || (closeBy !== null && queue.length > 0))
  }

  async function writeBatch(batch: readonly NewEntry[], durable: boolean): Promise<void> {
    for (let attempt = 0; ; attempt++) {
      try {
        return await write(batch, { durable })
      } catch (error) {
        if (isRefused(error)) return await writeHalves(batch, durable, error)
        log.warn({ err: error }, 'API log not written, trying again')
        if (closeBy !== null && Date.now() > closeBy) return drop('database', batch.length)
        await sleep(Math.min(1000, 50 * 2 ** attempt))
      }
    }
  }

  /** Finds the one entry that the database refuses; one it has already was written before the connection broke. */
  async function writeHalves(batch: readonly NewEntry[], durable: boolean, error: unknown): Promise<void> {
    if (batch.length > 1) {
      const middle = batch.length >> 1
      await writeBatch(batch.slice(0, middle), durable)
      await writeBatch(batch.slice(middle), durable)
    } else if ((error as { code: string }).code !== uniqueViolation) {
      log.error({ err: error, requestId: batch[0]!.requestId }, 'API log entry refused by the database')
      drop('database', 1)
    }
  }

  return {
    async append(entry, { durable }) {
      const queued: Queued = { entry, bytes: sizeOf(entry), written: null }
      const room = durable ? 2 : 1
      if (
        closeBy !== null ||
        held.entries >= limits.queuedEntries * room ||
        held.bytes + queued.bytes > limits.queuedBytes * room
      ) {
        return drop('overload', 1)
      }
      held = { entries: held.entries + 1, bytes: held.bytes + queued.bytes }
      queue.push(queued)
      if (!durable) {
        schedule(false)
        return
      }
      await new Promise<void>((resolve) => {
        const late = setTimeout(() => {
          lateTotal.inc()
          tellLate(1)
          resolve()
        }, limits.durableMs)
        queued.written = () => {
          clearTimeout(late)
          resolve()
        }
        schedule(true)
      })
    },

    async close() {
      closeBy ??= Date.now() + limits.closeMs
      while (queue.length > 0 || working.size > 0) {
        start()
        await Promise.race(working)
      }
    },
  }
}

interface Queued {
  entry: NewEntry
  bytes: number
  written: (() => void) | null
}

export const defaultLimits: WriterLimits = {
  flushMs: 200,
  batchEntries: 2000,
  batchBytes: 8 * 1024 * 1024,
  queuedEntries: 20_000,
  queuedBytes: 64 * 1024 * 1024,
  durableMs: 2000,
  closeMs: 5000,
}

const batchesAtOnce = 2

const uniqueViolation = '23505'

/** The database took the statement and refused its data. */
const isRefused = (error: unknown) => /^2[23]/.test(String((error as { code?: string }).code))

const sizeOf = (entry: NewEntry) =>
  512 + entry.queryParams.length + (entry.requestBody?.length ?? 0) + entry.integrationRequestBodies.length

const bytesOf = (batch: readonly Queued[]) => batch.reduce((sum, { bytes }) => sum + bytes, 0)

function takeBatch(queue: Queued[], limits: WriterLimits): Queued[] {
  let count = 0
  for (let bytes = 0; count < Math.min(queue.length, limits.batchEntries); count++) {
    bytes += queue[count]!.bytes
    if (count > 0 && bytes > limits.batchBytes) break
  }
  return queue.splice(0, count)
}

function oncePerSecond(tell: (count: number) => void) {
  let untold = 0
  let waiting = false
  return (count: number) => {
    untold += count
    if (waiting) return
    waiting = true
    const now = () => {
      tell(untold)
      untold = 0
    }
    now()
    setTimeout(() => {
      waiting = false
      if (untold > 0) now()
    }, 1000).unref()
  }
}
