import { setTimeout as wait } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Logger } from 'pino'
import type { Vault } from '../secrets.ts'
import type { Db } from './schema.ts'

/** A column of sealed values; `purpose` is what the value of a row was sealed for. */
export interface SealedColumn {
  table: string
  id: string
  column: string
  purpose(id: string): string
}

/**
 * @throws Error that says what is sealed with a key that is not configured; without it nothing of a connection works, and
 * its organization would be told of faults that are not its system's
 */
export async function requireKeys(db: Db, vault: Vault, columns: readonly SealedColumn[]): Promise<void> {
  for (const { table, column } of columns) {
    const { rows } = await sql<{ count: number }>`
      select count(*)::integer as count from ${sql.table(table)}
      where substring(${sql.ref(column)} from 1 for ${vault.currentHeader.length}) <> all(${vault.headers}::bytea[])`.execute(
      db,
    )
    const { count } = rows[0]!
    if (count === 0) continue
    throw new Error(
      `${count} of ${table}.${column} are sealed with a key that is neither ENCRYPTION_KEY nor in ENCRYPTION_KEYS_OLD`,
    )
  }
}

/**
 * Seals anew whatever is not sealed with the current key, while everything runs: again and again until aborted, for
 * processes that have not been restarted yet still seal with the key before.
 */
export async function keepResealing(
  parts: { db: Db; vault: Vault; columns: readonly SealedColumn[]; log: Logger; everyMs?: number },
  signal: AbortSignal,
): Promise<void> {
  const { db, vault, columns, log, everyMs = 600_000 } = parts
  while (!signal.aborted) {
    await reseal(db, vault, columns, signal).then(
      (resealed) => resealed > 0 && log.info({ resealed }, 'values sealed anew with the current key'),
      (error) => log.error({ err: error }, 'values not sealed anew'),
    )
    await wait(everyMs, undefined, { signal }).catch(() => {})
  }
}

/** @returns how many values were sealed anew */
async function reseal(db: Db, vault: Vault, columns: readonly SealedColumn[], signal: AbortSignal): Promise<number> {
  let resealed = 0
  for (const column of columns) {
    let count: number
    do {
      count = await resealBatch(db, vault, column)
      resealed += count
    } while (count === batchSize && !signal.aborted)
  }
  return resealed
}

const batchSize = 500

function resealBatch(db: Db, vault: Vault, { table, id, column, purpose }: SealedColumn): Promise<number> {
  return db.transaction().execute(async (trx) => {
    const { rows } = await sql<{ id: string; sealed: Buffer }>`
      select ${sql.ref(id)}::text as id, ${sql.ref(column)} as sealed from ${sql.table(table)}
      where substring(${sql.ref(column)} from 1 for ${vault.currentHeader.length}) <> ${vault.currentHeader}
      limit ${batchSize} for no key update`.execute(trx)
    const sealed = rows.map((row) => vault.seal(vault.open(row.sealed, purpose(row.id)), purpose(row.id)))
    await sql`
      update ${sql.table(table)} t set ${sql.ref(column)} = n.sealed
      from unnest(${rows.map((row) => row.id)}::text[], ${rows.map((row) => row.sealed)}::bytea[], ${sealed}::bytea[])
        as n (id, old, sealed)
      where ${sql.ref(`t.${id}`)}::text = n.id and ${sql.ref(`t.${column}`)} = n.old`.execute(trx)
    return rows.length
  })
}
