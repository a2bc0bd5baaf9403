import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { after, test } from 'node:test'
import { sql } from 'kysely'
import { startEmbeddedPostgres } from '../db/embedded.ts'
import { lockWaiters } from '../db/lock-waiters.fixture.ts'
import { migrate } from '../db/migrate.ts'
import { openDatabase } from '../db/open.ts'
import { temporaryFolder } from '../db/temporary-folder.fixture.ts'
import { createRegistry } from '../integrations/registry.ts'
import { sandbox } from '../integrations/sandbox/index.ts'
import { createOrganization } from '../organizations/organizations.ts'
import { resources } from '../resources/index.ts'
import { generateSandbox } from '../sandbox/generate-sandbox.ts'
import { Vault } from '../secrets.ts'
import { purgeRecords } from './purge-records.ts'

const dataDir = await temporaryFolder('purge')
const postgres = await startEmbeddedPostgres({ dataDir })
const { db, close } = openDatabase(postgres.url, 5)
await migrate(db, resources)
const { organization } = await createOrganization(db, 'tests')
const parts = {
  vault: new Vault([Buffer.alloc(32, 7)]),
  registry: createRegistry([sandbox('http://127.0.0.1:1')]),
  now: () => new Date(),
}
after(async () => {
  await close()
  await postgres.stop()
  await rm(dataDir, { recursive: true, force: true })
})

const generate = () => db.transaction().execute((trx) => generateSandbox(trx, parts, organization.id, 'wms'))
const saveRecord = (connectionId: string, id: string) =>
  sql`
  insert into records (resource, connection_id, id, created_date, updated_date, service_created_date,
    service_updated_date, hash, filters, body)
  values ('wms/orders', ${connectionId}, ${id}, now(), now(), now(), now(), '', '{}', '{}')`.execute(db)
const recordsOf = async (connectionId: string) =>
  (await db.selectFrom('records').select('id').where('connection_id', '=', connectionId).orderBy('id').execute()).map(
    (row) => row.id,
  )

test('a purge that comes late leaves the records of a connection that is there again', async () => {
  const { connectionId } = await generate()
  await saveRecord(connectionId, 'new')
  await purgeRecords(db, connectionId)
  assert.deepEqual(await recordsOf(connectionId), ['new'])
})

test('a sandbox made again while the purge of the old one is under way begins empty and keeps what comes then', async (t) => {
  const { connectionId } = await generate()
  for (const id of ['a', 'b', 'c']) await saveRecord(connectionId, id)
  await db.deleteFrom('connections').where('id', '=', connectionId).execute()
  const held = await db.startTransaction().execute()
  t.after(() => held.isCommitted || held.rollback().execute())
  await sql`select from records where connection_id = ${connectionId} and id = 'b' for update`.execute(held)
  const purge = purgeRecords(db, connectionId)
  await lockWaiters(db)
  const made = generate()
  await lockWaiters(db, 2)
  await held.commit().execute()
  await made
  assert.deepEqual(await recordsOf(connectionId), [])
  await saveRecord(connectionId, 'new')
  await purge
  assert.deepEqual(await recordsOf(connectionId), ['new'])
})
