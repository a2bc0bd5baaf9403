import { sql } from 'kysely'
import type { Db } from '../db/schema.ts'
import { errors } from '../errors.ts'
import type { Vault } from '../secrets.ts'

/** A key that is this process's to run the request of. */
export interface Claim {
  readonly scope: string
  readonly key: string
  /** What the system behind knows the request by; the same when it is taken up again. */
  readonly reference: string
  /** Another for each run: only who took the key last holds it. */
  readonly holder: string
  /** Whether an earlier run was cut off. */
  readonly recovering: boolean
}

export type Keyring = ReturnType<typeof createKeyring>

/**
 * Idempotency keys in the database, kept for a day. Who runs the request of a key holds a lease on it, which is renewed
 * while the process lives; a key whose lease has run out was cut off.
 */
export function createKeyring(db: Db, vault: Vault, leaseSeconds: number) {
  const running = new Map<Claim, { renewedAt: number }>()
  const renewal = setInterval(() => void renew().catch(() => {}), (leaseSeconds * 1000) / 3).unref()
  const purge = setInterval(() => void deleteOld().catch(() => {}), 3_600_000).unref()

  async function renew() {
    if (running.size === 0) return
    const held = [...running.keys()]
    const renewedAt = performance.now()
    const { rows } = await sql<{ holder: string }>`
      update idempotency_keys k set lease_until = now() + make_interval(secs => ${leaseSeconds})
      from unnest(
        ${held.map(({ scope }) => scope)}::text[], ${held.map(({ key }) => key)}::text[],
        ${held.map(({ holder }) => holder)}::uuid[]
      ) as held (scope, key, holder)
      where k.scope = held.scope and k.key = held.key and k.holder = held.holder and k.lease_until > now()
      returning k.holder`.execute(db)
    const renewed = new Set(rows.map(({ holder }) => holder))
    for (const claim of held) {
      if (renewed.has(claim.holder)) running.set(claim, { renewedAt })
      else running.delete(claim)
    }
  }

  async function deleteOld() {
    await sql`delete from idempotency_keys where created_at < now() - interval '24 hours'
      and (lease_until is null or lease_until < now())`.execute(db)
  }

  function take(claim: Claim, claimedAt: number): Claim {
    running.set(claim, { renewedAt: claimedAt })
    return claim
  }

  return {
    /**
     * Takes a key, or tells what its request was answered.
     * @throws ApiError 400 when it was used for another request, 409 while that still runs
     */
    async claim(scope: string, key: string, fingerprint: Buffer): Promise<Claim | { status: number; answer: string }> {
      const claimedAt = performance.now()
      const reference = crypto.randomUUID()
      const holder = crypto.randomUUID()
      const fresh = await sql<{ reference: string }>`
        insert into idempotency_keys as k (scope, key, fingerprint, reference, holder, lease_until)
        values (
          ${scope}, ${key}, ${fingerprint}, ${reference}, ${holder}, now() + make_interval(secs => ${leaseSeconds})
        )
        on conflict (scope, key) do update set
          fingerprint = excluded.fingerprint, reference = excluded.reference, holder = excluded.holder,
          lease_until = excluded.lease_until, status = null, answer_sealed = null, created_at = now()
        where k.created_at < now() - interval '24 hours' and (k.lease_until is null or k.lease_until < now())
        returning reference`.execute(db)
      if (fresh.rows.length > 0) return take({ scope, key, reference, holder, recovering: false }, claimedAt)

      const row = await db
        .selectFrom('idempotency_keys')
        .select(['fingerprint', 'status', 'answer_sealed'])
        .where('scope', '=', scope)
        .where('key', '=', key)
        .executeTakeFirst()
      // released between the two statements
      if (!row) return this.claim(scope, key, fingerprint)
      if (!row.fingerprint.equals(fingerprint)) throw errors.keyReused()
      if (row.status !== null && row.answer_sealed !== null) {
        return { status: row.status, answer: vault.open(row.answer_sealed, purpose(scope, key)) }
      }
      const taken = await sql<{ reference: string }>`
        update idempotency_keys
        set holder = ${holder}, lease_until = now() + make_interval(secs => ${leaseSeconds})
        where scope = ${scope} and key = ${key} and status is null and lease_until < now()
        returning reference`.execute(db)
      if (taken.rows.length === 0) throw errors.stillRunning()
      return take({ scope, key, reference: taken.rows[0]!.reference, holder, recovering: true }, claimedAt)
    },

    /** Whether the lease has certainly not run out. */
    holds(claim: Claim): boolean {
      const held = running.get(claim)
      return held !== undefined && performance.now() - held.renewedAt < leaseSeconds * 500
    },

    /** Keeps the answer, to be given again. */
    async keep(claim: Claim, status: number, answer: string): Promise<void> {
      running.delete(claim)
      const sealed = vault.seal(answer, purpose(claim.scope, claim.key))
      await rowOf(claim, db.updateTable('idempotency_keys'))
        .set({ status, answer_sealed: sealed, lease_until: null })
        .execute()
    },

    /** Leaves it to the next request with this key to find out what became of this one. */
    async leave(claim: Claim): Promise<void> {
      running.delete(claim)
      await rowOf(claim, db.updateTable('idempotency_keys')).set({ lease_until: sql`now()` }).execute()
    },

    /** Forgets the key: nothing was done. */
    async release(claim: Claim): Promise<void> {
      running.delete(claim)
      await rowOf(claim, db.deleteFrom('idempotency_keys')).execute()
    },

    stop() {
      clearInterval(renewal)
      clearInterval(purge)
    },
  }
}

const purpose = (scope: string, key: string) => `answer to ${key} of ${scope}`

function rowOf<Query extends { where(column: 'scope' | 'key' | 'holder', op: '=', value: string): Query }>(
  { scope, key, holder }: Claim,
  query: Query,
): Query {
  return query.where('scope', '=', scope).where('key', '=', key).where('holder', '=', holder)
}
