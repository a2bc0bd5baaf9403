import assert from 'node:assert/strict'
import { readFile, rm } from 'node:fs/promises'
import { test } from 'node:test'
import { Migrator, sql } from 'kysely'
import { cleanUp } from '../clean-up.fixture.ts'
import { startEmbeddedPostgres } from './embedded.ts'
import { migrate } from './migrate.ts'
import { openDatabase } from './open.ts'
import type { Db } from './schema.ts'
import { temporaryFolder } from './temporary-folder.fixture.ts'

test('a secret that was rotated away before the upgrade stays valid for its day', async (t) => {
  const dataDir = await temporaryFolder('migrate')
  cleanUp(t, () => rm(dataDir, { recursive: true, force: true }))
  const postgres = await startEmbeddedPostgres({ dataDir })
  cleanUp(t, postgres.stop)
  const { db, close } = openDatabase(postgres.url, 2)
  cleanUp(t, close)
  const foundation = await readFile(new URL('./migrations/0001-foundation.sql', import.meta.url), 'utf8')
  const up = async (trx: Db) => void (await sql.raw(foundation).execute(trx))
  const { error } = await new Migrator({
    db,
    provider: { getMigrations: async () => ({ '0001-foundation': { up } }) },
  }).migrateToLatest()
  assert.equal(error, undefined)
  const expiresAt = new Date(Date.now() + 3_600_000)
  await sql`
    with organization as (insert into organizations (name) values ('tests') returning id)
    insert into webhook_endpoints (organization_id, url, secret_sealed, previous_secret_sealed, previous_secret_expires_at)
    select id, 'https://a.example', 'new'::bytea, 'old'::bytea, ${expiresAt}::timestamptz from organization union all
    select id, 'https://b.example', 'only', null, null from organization`.execute(db)

  await migrate(db, [])
  await migrate(db, [])
  const { rows } = await sql`
    select url, retired.secret_sealed, expires_at from webhook_retired_secrets retired
    join webhook_endpoints endpoint on endpoint.id = endpoint_id`.execute(db)
  assert.deepEqual(rows, [{ url: 'https://a.example', secret_sealed: Buffer.from('old'), expires_at: expiresAt }])
})
