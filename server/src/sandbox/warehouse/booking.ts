import { sql } from 'kysely'
import type { Db } from '../../db/schema.ts'
import type { Document, Kind, WarehouseDocuments } from '../../integrations/sandbox/documents.ts'
import { Refusal } from './refusal.ts'

/** Fields of a document that the warehouse does not set itself. */
type Fields<K extends Kind> = Omit<WarehouseDocuments[K], 'created' | 'modified'>

/**
 * One booking in a warehouse: documents are taken under a lock, changed in memory, and put back together when it ends.
 * What is refused changes nothing.
 */
export class Booking {
  readonly now: string
  readonly #trx: Db
  readonly #warehouseId: string
  readonly #changed = new Map<string, { kind: Kind; document: Document }>()
  readonly #taken = new Map<string, Document>()

  private constructor(trx: Db, warehouseId: string, now: string) {
    this.#trx = trx
    this.#warehouseId = warehouseId
    this.now = now
  }

  /**
   * Runs a booking and keeps what it wrote under the caller's reference.
   * @returns the document it is about, as it is afterwards
   * @throws Refusal 409 for a reference that was used before
   */
  static async make<K extends Kind>(
    db: Db,
    warehouseId: string,
    reference: string | null,
    kind: K,
    work: (booking: Booking) => Promise<WarehouseDocuments[K]>,
  ): Promise<WarehouseDocuments[K]> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await db.transaction().execute((trx) => Booking.#once(trx, warehouseId, reference, kind, work))
      } catch (error) {
        // two bookings that need each other's documents: one of them begins anew
        if ((error as { code?: string }).code !== deadlock || attempt === mostAttempts) throw error
      }
    }
  }

  static async #once<K extends Kind>(
    trx: Db,
    warehouseId: string,
    reference: string | null,
    kind: K,
    work: (booking: Booking) => Promise<WarehouseDocuments[K]>,
  ): Promise<WarehouseDocuments[K]> {
    const { rows } = await sql<{ now: Date }>`select date_trunc('milliseconds', clock_timestamp()) as now`.execute(trx)
    const booking = new Booking(trx, warehouseId, rows[0]!.now.toISOString())
    const document = await work(booking)
    if (reference !== null) await booking.#keepReference(reference, kind, document.id)
    await booking.#write()
    return document
  }

  /** Documents by id, locked; those that do not exist are left out. */
  async find<K extends Kind>(kind: K, ids: readonly string[]): Promise<Map<string, WarehouseDocuments[K]>> {
    return this.#take(kind, sql`id = any(${[...new Set(ids)]})`)
  }

  /** @throws Refusal 404 */
  async get<K extends Kind>(kind: K, id: string): Promise<WarehouseDocuments[K]> {
    const document = (await this.find(kind, [id])).get(id)
    if (!document) throw new Refusal(404, `There is no ${id} in ${kind}`)
    return document
  }

  /** Documents whose field has one of the values, locked. */
  async findBy<K extends Kind>(
    kind: K,
    field: string & keyof WarehouseDocuments[K],
    values: readonly string[],
  ): Promise<WarehouseDocuments[K][]> {
    return [...(await this.#take(kind, sql`body ->> ${sql.lit(field)} = any(${[...new Set(values)]})`)).values()]
  }

  async findAll<K extends Kind>(kind: K): Promise<WarehouseDocuments[K][]> {
    return [...(await this.#take(kind, sql`true`)).values()]
  }

  /**
   * Waits until no other booking of this warehouse that asked for the same is under way; what is added by then is found.
   * Asked for before one looks for what is to be added unless it is there: what is not there cannot be locked.
   */
  async alone(what: string): Promise<void> {
    await sql`select pg_advisory_xact_lock(hashtextextended(${`${this.#warehouseId} ${what}`}, 0))`.execute(this.#trx)
  }

  add<K extends Kind>(kind: K, fields: Fields<K>): WarehouseDocuments[K] {
    const document = { ...fields, created: this.now, modified: this.now } as WarehouseDocuments[K]
    this.#changed.set(`${kind} ${document.id}`, { kind, document })
    return document
  }

  /** A booking that began earlier may have waited for another: what it changes is the newer state all the same. */
  change<K extends Kind>(kind: K, document: WarehouseDocuments[K]): WarehouseDocuments[K] {
    const key = `${kind} ${document.id}`
    if (this.#changed.has(key)) return document
    const modifiedMs = Math.max(Date.parse(this.now), Date.parse(document.modified) + 1)
    document.modified = new Date(modifiedMs).toISOString()
    this.#changed.set(key, { kind, document })
    return document
  }

  /** Numbers nobody else gets. */
  async numbers(count: number): Promise<number[]> {
    const { rows } = await sql<{ number: string }>`
      select nextval('sandbox_numbers') as number from generate_series(1, ${count})`.execute(this.#trx)
    return rows.map(({ number }) => Number(number))
  }

  /** In the order of ids, so that two bookings seldom lock each other out. */
  async #take<K extends Kind>(kind: K, where: ReturnType<typeof sql>): Promise<Map<string, WarehouseDocuments[K]>> {
    const { rows } = await sql<{ id: string; body: WarehouseDocuments[K] }>`
      select id, body from sandbox_documents
      where warehouse_id = ${this.#warehouseId} and kind = ${kind} and ${where}
      order by id ${fixed.has(kind) ? sql`` : sql`for update`}`.execute(this.#trx)
    const found = new Map<string, WarehouseDocuments[K]>()
    for (const { id, body } of rows) {
      const key = `${kind} ${id}`
      const document = (this.#taken.get(key) ?? body) as WarehouseDocuments[K]
      this.#taken.set(key, document)
      found.set(id, document)
    }
    return found
  }

  async #keepReference(reference: string, kind: Kind, documentId: string) {
    const { numAffectedRows } = await sql`
      insert into sandbox_references (warehouse_id, reference, kind, document_id)
      values (${this.#warehouseId}, ${reference}, ${kind}, ${documentId}) on conflict do nothing`.execute(this.#trx)
    if (numAffectedRows === 0n) throw new Refusal(409, `The reference ${reference} was used before`)
  }

  async #write() {
    const rows = [...this.#changed.values()]
    await sql`
      insert into sandbox_documents (warehouse_id, kind, id, modified_at, body)
      select ${this.#warehouseId}, kind, id, (body ->> 'modified')::timestamptz, body
      from unnest(
        ${rows.map(({ kind }) => kind)}::text[],
        ${rows.map(({ document }) => document.id)}::text[],
        ${rows.map(({ document }) => JSON.stringify(document))}::jsonb[]
      ) as written (kind, id, body)
      on conflict (warehouse_id, kind, id) do update set modified_at = excluded.modified_at, body = excluded.body
    `.execute(this.#trx)
  }
}

/** What no booking changes needs no lock. */
const fixed: ReadonlySet<Kind> = new Set<Kind>(['facilities', 'slots', 'clients', 'services', 'sales-channels'])

/** PostgreSQL's code of it. */
const deadlock = '40P01'
const mostAttempts = 10
