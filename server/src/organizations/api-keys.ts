import type { Db } from '../db/schema.ts'
import { errors } from '../errors.ts'
import type { Caller } from '../http/authenticate.ts'
import { hashSecret, newApiKey } from '../secrets.ts'
import { uuidOrNull } from '../uuid.ts'

export interface ApiKey {
  id: string
  scope: 'full' | 'read'
  /** The last four characters, to tell keys apart. */
  hint: string
  created_at: string
}

/** Makes a key; the key itself is told only here. */
export async function createApiKey(
  db: Db,
  organizationId: string,
  scope: 'full' | 'read',
  key = newApiKey(scope),
): Promise<ApiKey & { key: string }> {
  const row = await db
    .insertInto('api_keys')
    .values({ organization_id: organizationId, hash: hashSecret(key), hint: key.slice(-4), scope })
    .returning(columns)
    .executeTakeFirstOrThrow()
  return { ...present(row), key }
}

export async function listApiKeys(db: Db, organizationId: string): Promise<ApiKey[]> {
  const rows = await db
    .selectFrom('api_keys')
    .select(columns)
    .where('organization_id', '=', organizationId)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
  return rows.map(present)
}

/**
 * Revokes a key, the caller's own too.
 * @throws ApiError 404 when the organization has no such key, 409 when it is its last of scope `full`
 */
export async function revokeApiKey(db: Db, organizationId: string, id: string): Promise<void> {
  await db.transaction().execute(async (trx) => {
    // one at a time for each organization, or two callers could revoke the last two keys
    await trx.selectFrom('organizations').select('id').where('id', '=', organizationId).forUpdate().execute()
    const keys = await listApiKeys(trx, organizationId)
    const key = keys.find((each) => each.id === uuidOrNull(id))
    if (!key) throw errors.notFound('API key', id)
    if (key.scope === 'full' && keys.filter((each) => each.scope === 'full').length === 1) {
      throw errors.conflict('This is the last API key with full access; create another before revoking it')
    }
    await trx.deleteFrom('api_keys').where('id', '=', key.id).execute()
  })
}

/** Whom a key of this hash belongs to. */
export async function findCaller(db: Db, hash: Buffer): Promise<Caller | null> {
  const row = await db
    .selectFrom('api_keys')
    .select(['organization_id as organizationId', 'scope'])
    .where('hash', '=', hash)
    .executeTakeFirst()
  return row ?? null
}

const columns = ['id', 'scope', 'hint', 'created_at'] as const

const present = (row: Omit<ApiKey, 'created_at'> & { created_at: Date }): ApiKey => ({
  ...row,
  created_at: row.created_at.toISOString(),
})
