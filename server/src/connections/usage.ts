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
  let counted = new Map<string, Count>()
  let flushing = Promise.resolve()

  function add(connectionId: string, times: number, last: Date) {
    const before = counted.get(connectionId)
    counted.set(connectionId, {
      times: (before?.times ?? 0) + times,
      last: before && before.last > last ? before.last : last,
    })
  }

  async function flush() {
    if (counted.size === 0) return
    const batch = counted
    counted = new Map()
    await writeUsage(db, batch).catch((error) => {
      log.warn({ err: error }, 'usage of connections not counted yet')
      for (const [id, { times, last }] of batch) add(id, times, last)
    })
  }

  const flushNext = () => (flushing = flushing.then(flush))
  const timer = setInterval(flushNext, flushMs)
  return {
    count: (connectionId) => add(connectionId, 1, new Date()),
    stop() {
      clearInterval(timer)
      return flushNext()
    },
  }
}

interface Count {
  times: number
  last: Date
}

/** Every process takes the rows in the same order, so that none waits for another in a circle. */
async function writeUsage(db: Db, counted: ReadonlyMap<string, Count>): Promise<void> {
  const ids = [...counted.keys()]
  const counts = [...counted.values()]
  await sql`
    with locked as materialized (
      select id from connections where id = any(${ids}::uuid[]) order by id for no key update
    )
    update connections c set times_used = times_used + used.times, last_used = greatest(last_used, used.last)
    from locked join unnest(
      ${ids}::uuid[], ${counts.map(({ times }) => times)}::integer[], ${counts.map(({ last }) => last)}::timestamptz[]
    ) as used (id, times, last) on used.id = locked.id
    where c.id = locked.id`.execute(db)
}
