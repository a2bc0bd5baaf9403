import { sql } from 'kysely'
import type { Db } from '../db/schema.ts'
import { errors } from '../errors.ts'
import { hashSecret, newAuthCode } from '../secrets.ts'

/**
 * Issues a code that its organization exchanges, once and within half an hour, for the connection's access token. Only
 * its hash is kept; codes a day past their end are forgotten on the way.
 */
export async function issueAuthCode(db: Db, organizationId: string, connectionId: string, now: Date): Promise<string> {
  const code = newAuthCode()
  await sql`
    with forgotten as (delete from auth_codes where expires_at < ${now}::timestamptz - interval '1 day')
    insert into auth_codes (hash, organization_id, connection_id, expires_at)
    values (${hashSecret(code)}, ${organizationId}, ${connectionId}, ${now}::timestamptz + interval '30 minutes')`.execute(
    db,
  )
  return code
}

/**
 * Spends a code.
 * @returns the id of the connection it stands for
 * @throws ApiError 400 for a code that is wrong, used, expired or another organization's
 */
export async function redeemAuthCode(db: Db, organizationId: string, code: string, now: Date): Promise<string> {
  const redeemed = await db
    .updateTable('auth_codes')
    .set({ used_at: now })
    .where('hash', '=', hashSecret(code))
    .where('organization_id', '=', organizationId)
    .where('used_at', 'is', null)
    .where('expires_at', '>', now)
    .returning('connection_id')
    .executeTakeFirst()
  if (!redeemed) throw errors.invalidAuthCode()
  return redeemed.connection_id
}
