import { sql } from 'kysely'
import type { Db, SandboxFault } from '../../db/schema.ts'
import type { Kind, WarehouseDocuments } from '../../integrations/sandbox/documents.ts'
import { generate } from './generate.ts'

/**
 * Makes the warehouse `id` new: a generated year of documents that ends at `now`, no faults, opened by the key whose
 * SHA-256 is `keyHash`. Readers see the old warehouse until the caller's transaction ends.
 */
export async function resetWarehouse(
  db: Db,
  { id, keyHash, seed, now }: { id: string; keyHash: Buffer; seed: string; now: Date },
): Promise<void> {
  await db
    .insertInto('sandbox_warehouses')
    .values({ id, key_hash: keyHash })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ key_hash: keyHash, faults: '[]' }))
    .execute()
  await db.deleteFrom('sandbox_documents').where('warehouse_id', '=', id).execute()
  await db.deleteFrom('sandbox_references').where('warehouse_id', '=', id).execute()
  for (const [kind, list] of Object.entries(generate(seed, now))) await insertAll(db, id, kind, list)
}

function insertAll(db: Db, warehouseId: string, kind: string, documents: { id: string; modified: string }[]) {
  const ids = documents.map((document) => document.id)
  const instants = documents.map((document) => document.modified)
  const bodies = documents.map((document) => JSON.stringify(document))
  return sql`
    insert into sandbox_documents (warehouse_id, kind, id, modified_at, body)
    select ${warehouseId}, ${kind}, id, modified_at, body
    from unnest(${ids}::text[], ${instants}::timestamptz[], ${bodies}::jsonb[]) as document (id, modified_at, body)
  `.execute(db)
}

/** Whose account a key of the warehouse opens. */
export const accountOf = (warehouseId: string) => ({ account: warehouseId, title: 'Sandbox Warehouse' })

/** Where a page ended. */
export interface Position {
  modified: string
  id: string
}

/** Up to `limit` documents of a kind, in the order of their last change; `next` is null at the end. */
export async function readDocuments<K extends Kind>(
  db: Db,
  warehouseId: string,
  kind: K,
  { since, after, limit }: { since: Date | null; after: Position | null; limit: number },
): Promise<{ items: WarehouseDocuments[K][]; next: Position | null }> {
  let query = db
    .selectFrom('sandbox_documents')
    .select('body')
    .where('warehouse_id', '=', warehouseId)
    .where('kind', '=', kind)
    .orderBy('modified_at')
    .orderBy('id')
    .limit(limit + 1)
  if (since) query = query.where('modified_at', '>=', since)
  if (after) query = query.where(sql<boolean>`(modified_at, id) > (${after.modified}::timestamptz, ${after.id})`)
  const found = (await query.execute()).map((row) => row.body as WarehouseDocuments[K])
  const items = found.slice(0, limit)
  const last = found.length > limit ? items.at(-1)! : null
  return { items, next: last && { modified: last.modified, id: last.id } }
}

export async function findDocument<K extends Kind>(
  db: Db,
  warehouseId: string,
  kind: K,
  id: string,
): Promise<WarehouseDocuments[K] | null> {
  const row = await db
    .selectFrom('sandbox_documents')
    .select('body')
    .where('warehouse_id', '=', warehouseId)
    .where('kind', '=', kind)
    .where('id', '=', id)
    .executeTakeFirst()
  return row ? row.body : null
}

/** What a request with this reference was about; null for a reference that never came. */
export async function findReference(
  db: Db,
  warehouseId: string,
  reference: string,
): Promise<{ kind: Kind; document_id: string } | null> {
  const row = await db
    .selectFrom('sandbox_references')
    .select(['kind', 'document_id'])
    .where('warehouse_id', '=', warehouseId)
    .where('reference', '=', reference)
    .executeTakeFirst()
  return (row as { kind: Kind; document_id: string } | undefined) ?? null
}

export interface Warehouse {
  id: string
  /** The failures it is told to answer with. */
  faults: SandboxFault[]
}

/** The warehouse a key opens; null for an unknown key. */
export async function findWarehouse(db: Db, keyHash: Buffer): Promise<Warehouse | null> {
  const row = await db
    .selectFrom('sandbox_warehouses')
    .select(['id', 'faults'])
    .where('key_hash', '=', keyHash)
    .executeTakeFirst()
  return row ?? null
}

/** The faults of a warehouse; null where there is no such warehouse. */
export async function readFaults(db: Db, warehouseId: string): Promise<SandboxFault[] | null> {
  const row = await db
    .selectFrom('sandbox_warehouses')
    .select('faults')
    .where('id', '=', warehouseId)
    .executeTakeFirst()
  return row?.faults ?? null
}

export async function replaceFaults(db: Db, warehouseId: string, faults: readonly SandboxFault[]): Promise<void> {
  await db
    .updateTable('sandbox_warehouses')
    .set({ faults: JSON.stringify(faults) })
    .where('id', '=', warehouseId)
    .execute()
}

/** Takes one occurrence of the first fault of a function; a fault without `times` lasts until it is replaced. */
export function takeFault(db: Db, warehouseId: string, functionName: string): Promise<SandboxFault | null> {
  return db.transaction().execute(async (trx) => {
    const { faults } = await trx
      .selectFrom('sandbox_warehouses')
      .select('faults')
      .where('id', '=', warehouseId)
      .forUpdate()
      .executeTakeFirstOrThrow()
    const index = faults.findIndex((fault) => fault.function_name === functionName)
    const fault = faults[index]
    if (!fault) return null
    if (fault.times !== undefined) {
      const rest = fault.times > 1 ? [{ ...fault, times: fault.times - 1 }] : []
      await replaceFaults(trx, warehouseId, faults.toSpliced(index, 1, ...rest))
    }
    return fault
  })
}
