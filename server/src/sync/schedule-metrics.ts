import { sql } from 'kysely'
import { Gauge, type Registry } from 'prom-client'
import type { Db } from '../db/schema.ts'

/** Tells at every scrape how the schedules stand, those of all workers. A schedule may be in more than one state. */
export function measureSchedules(registry: Registry, db: Db): void {
  new Gauge({
    name: 'crossdock_schedules',
    help: 'Schedules being crawled, due and waiting for a worker, failing, and paused',
    labelNames: ['state'],
    registers: [registry],
    async collect() {
      this.reset()
      // a database that is away leaves a gap, and does not take the other metrics with it
      const states = await count(db).catch(() => ({}))
      for (const [state, value] of Object.entries(states)) this.set({ state }, value)
    },
  })
}

async function count(db: Db): Promise<Record<string, number>> {
  const { rows } = await sql<Record<string, number>>`
    select count(*) filter (where running)::integer as running,
      count(*) filter (where not running and due_at <= now())::integer as due,
      count(*) filter (where failures > 0 and not disabled)::integer as failing,
      count(*) filter (where paused and not disabled)::integer as paused
    from schedules`.execute(db)
  return rows[0]!
}
