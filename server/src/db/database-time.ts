import { sql } from 'kysely'
import type { Db } from './schema.ts'

/** The database's clock, which all processes share. */
export async function databaseTime(db: Db): Promise<Date> {
  const { rows } = await sql<{ time: Date }>`select clock_timestamp() as time`.execute(db)
  return rows[0]!.time
}
