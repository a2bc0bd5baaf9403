import { sql } from 'kysely'
import type { Db } from '../db/schema.ts'
import { integrationTypes } from '../resources/define.ts'
import { resources } from '../resources/index.ts'
import { uuidOrNull } from '../uuid.ts'
import { createApiKey } from './api-keys.ts'

export interface Organization {
  id: string
  name: string
  /** Integration type → functions switched off for every connection of that type. */
  disabled_functions: Record<string, string[]>
  /** How far back a first crawl reads. */
  historical_days: number
  /** Shown on the install page. */
  brand_logo_url: string | null
  brand_color: string | null
  created_at: string
}

export interface NewOrganization {
  organization: Organization
  /** Its first API key, which is told only here. */
  api_key: string
}

export function createOrganization(db: Db, name: string): Promise<NewOrganization> {
  return db.transaction().execute((trx) => insertOrganization(trx, name, null))
}

/**
 * Creates the organization `default` when there is none yet; once, however many processes start together.
 * @returns its API key, or null when an organization was there already
 */
export function bootstrapOrganization(db: Db, apiKey: string | null): Promise<string | null> {
  return db.transaction().execute(async (trx) => {
    await sql`lock table organizations in share row exclusive mode`.execute(trx)
    const there = await trx.selectFrom('organizations').select('id').limit(1).executeTakeFirst()
    return there ? null : (await insertOrganization(trx, 'default', apiKey)).api_key
  })
}

async function insertOrganization(trx: Db, name: string, apiKey: string | null): Promise<NewOrganization> {
  const organization = await trx
    .insertInto('organizations')
    .values({ name, disabled_functions: JSON.stringify(offByDefault()) })
    .returningAll()
    .executeTakeFirstOrThrow()
  const { key } = await createApiKey(trx, organization.id, 'full', apiKey ?? undefined)
  return { organization: present(organization), api_key: key }
}

export async function listOrganizations(db: Db): Promise<Organization[]> {
  const rows = await db.selectFrom('organizations').selectAll().orderBy('created_at').orderBy('id').execute()
  return rows.map(present)
}

export async function findOrganization(db: Db, id: string): Promise<Organization | null> {
  const row = await db
    .selectFrom('organizations')
    .selectAll()
    .where(sql<boolean>`id = ${uuidOrNull(id)}`)
    .executeTakeFirst()
  return row ? present(row) : null
}

/** Changes what is named of an organization; types that `disabled_functions` does not name stay as they are. */
export async function updateOrganization(
  db: Db,
  id: string,
  {
    disabled_functions,
    ...change
  }: {
    disabled_functions?: Record<string, string[]>
    historical_days?: number
    brand_logo_url?: string | null
    brand_color?: string | null
  },
): Promise<Organization | null> {
  const row = await db
    .updateTable('organizations')
    .set({
      ...change,
      disabled_functions: sql<string>`disabled_functions || ${JSON.stringify(disabled_functions ?? {})}::jsonb`,
    })
    .where(sql<boolean>`id = ${uuidOrNull(id)}`)
    .returningAll()
    .executeTakeFirst()
  return row ? present(row) : null
}

function offByDefault(): Record<string, string[]> {
  const off = resources.filter((resource) => resource.offByDefault)
  return Object.fromEntries(
    integrationTypes.map((type) => [
      type,
      off.flatMap((resource) => (resource.type === type ? resource.readAction : [])),
    ]),
  )
}

const present = (row: Omit<Organization, 'created_at'> & { created_at: Date }): Organization => ({
  ...row,
  created_at: row.created_at.toISOString(),
})
