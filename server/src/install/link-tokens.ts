import { sql } from 'kysely'
import type { Db } from '../db/schema.ts'
import { hashSecret, newLinkToken } from '../secrets.ts'

/**
 * Issues a token that opens the install page for one organization, as often as needed within four hours. Only its hash
 * is kept; tokens a day past their end are forgotten on the way.
 */
export async function issueLinkToken(
  db: Db,
  token: { organizationId: string; connectionId: string | null; customerId: string | null },
  now: Date,
): Promise<string> {
  const linkToken = newLinkToken()
  await sql`
    with forgotten as (delete from link_tokens where expires_at < ${now}::timestamptz - interval '1 day')
    insert into link_tokens (hash, organization_id, connection_id, customer_id, expires_at)
    values (${hashSecret(linkToken)}, ${token.organizationId}, ${token.connectionId}, ${token.customerId},
      ${now}::timestamptz + interval '4 hours')`.execute(db)
  return linkToken
}
