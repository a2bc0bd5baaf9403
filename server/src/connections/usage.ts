import { sql } from 'kysely'
import type { Logger } from 'pino'
import type { Db } from '../db/schema.ts'

/** Counts the data calls of connections without a write per call. */
export interface Usage {
  count(connectionId: string): void
  /** Writes what is counted so far and stops. */
  stop(): Promise<void>
}

export function countUsage(db: Db, log: Logger, flushMs = 1000): Usage {
  let counted = new Map<string, { times: number; last: Date }>()

  async function flush() {
    if (counted.size === 0) return
    const batch = counted
    counted = new Map()
    await sql`
      update connections c set times_used = times_used + used.times, last_used = greatest(last_used, used.last)
      from unnest(
        ${[...batch.keys()]}::uuid[],
        ${[...batch.values()].map(({ times }) => times)}::integer[],
        ${[...batch.values()].map(({ last }) => last)}::timestamptz[]
      ) as used (id, times, last) where c.id = used.id`
      .execute(db)
      .catch((error) => log.warn({ err: error }, 'usage of connections not counted'))
  }

  const timer = setInterval(flush, flushMs)
  return {
    count(connectionId) {
      const entry = counted.get(connectionId)
      if (entry) {
        entry.times++
        entry.last = new Date()
      } else counted.set(connectionId, { times: 1, last: new Date() })
    },
    async stop() {
      clearInterval(timer)
      await flush()
    },
  }
}
