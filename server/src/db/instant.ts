import { type RawBuilder, sql } from 'kysely'

/** SQL for a timestamp as it is answered: `2026-11-20T08:15:30.123Z`. */
export const instant = (at: RawBuilder<unknown>) =>
  sql<string>`to_char(${at} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
