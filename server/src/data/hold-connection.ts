import { sql } from 'kysely'
import type { Db } from '../db/schema.ts'
import { errors } from '../errors.ts'

/**
 * Lets the deletion of a connection wait for the end of this transaction.
 * @returns whether it is still there
 */
export async function holdConnection(trx: Db, connectionId: string): Promise<boolean> {
  const { rows } = await sql`select from connections where id = ${connectionId} for key share`.execute(trx)
  return rows.length > 0
}

/**
 * Holds the connection that a request acts on.
 * @throws ApiError 401 when it was deleted since the request was let in
 */
export async function holdCaller(trx: Db, connectionId: string): Promise<void> {
  if (!(await holdConnection(trx, connectionId))) throw errors.invalidAccessToken()
}
