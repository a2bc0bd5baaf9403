import { sql } from 'kysely'
import { eventually } from '../eventually.fixture.ts'
import type { Db } from './schema.ts'

/** Waits until so many sessions wait for a lock, of one kind where it is named. @returns their process ids */
export function lockWaiters(db: Db, count = 1, kind: 'relation' | 'transactionid' | null = null): Promise<number[]> {
  return eventually(async () => {
    const { rows } = await sql<{ pid: number }>`
      select pid from pg_locks where not granted and locktype = coalesce(${kind}, locktype)`.execute(db)
    return rows.length >= count && rows.map(({ pid }) => pid)
  })
}
