import { sql } from 'kysely'
import { claimDue } from '../server/src/sync/leases.ts'
import { startDatabase } from './database.ts'
import { tell } from './tell.ts'

const connections = 100_000
const functions = 10
const due = 50_000
const batch = 50
const ticks = 200

/** Claiming among 1,000,000 schedules: how fast, and what a look at the clock costs when nothing is due. */
export async function benchSchedules(): Promise<void> {
  const database = await startDatabase()
  const { db } = database
  const none = { connections: new Map(), hosts: new Map(), failing: 0 }
  const bounds = { perConnection: 2, perHost: 4, failing: batch }
  const claim = () => claimDue(db, batch, none, bounds, 30)
  try {
    await sql`
      with organization as (insert into organizations (name) values ('bench') returning id), made as (
        insert into connections (organization_id, integration_type, integration_name, host, token_hash, token_sealed, credentials_sealed)
        select organization.id, 'wms', 'bench', 'host ' || i % 5000, decode(md5(i::text), 'hex'), '', ''
        from organization, generate_series(1, ${connections}::integer) i returning id, host
      )
      insert into schedules (connection_id, function_name, host, sync_frequency, due_at)
      select id, 'get_' || f, host, 3600, now() + interval '1 hour' * (0.1 + random())
      from made, generate_series(1, ${functions}::integer) f`.execute(db)
    await sql`vacuum analyze schedules`.execute(db)

    const idleStartedAt = performance.now()
    for (let i = 0; i < ticks; i++) await claim()
    tell('schedules: idle tick among 1,000,000, ms', (performance.now() - idleStartedAt) / ticks)

    await sql`
      update schedules set due_at = now() - random() * interval '1 minute'
      where (connection_id, function_name) in (
        select connection_id, function_name from schedules tablesample system (10) limit ${due})`.execute(db)
    await sql`vacuum analyze schedules`.execute(db)
    let claimed = 0
    const startedAt = performance.now()
    for (let leases = await claim(); leases.length > 0; leases = await claim()) claimed += leases.length
    tell(`schedules: claims/s in batches of ${batch}`, (claimed / (performance.now() - startedAt)) * 1000, {
      note: `${claimed} claimed`,
    })
  } finally {
    await database.stop()
  }
}

if (import.meta.main) await benchSchedules()
