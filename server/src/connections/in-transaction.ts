import type { Db } from '../db/schema.ts'

/** Works in the caller's transaction, or in one of its own. */
export const inTransaction = <Result>(db: Db, work: (trx: Db) => Promise<Result>): Promise<Result> =>
  db.isTransaction ? work(db) : db.transaction().execute(work)
