import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { after, before, test } from 'node:test'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../server/src/db/embedded.ts'
import { openDatabase } from '../../server/src/db/open.ts'
import { temporaryFolder } from '../../server/src/db/temporary-folder.fixture.ts'
import { eventually } from '../../server/src/eventually.fixture.ts'
import type { Integration } from '../../server/src/integrations/define.ts'
import { startTestSource, type TestSource, testIntegration } from '../../server/src/sync/source.fixture.ts'
import { startTestCrossdock, type TestCrossdock } from '../harness/crossdock.ts'

let dataDir: string
let postgres: EmbeddedPostgres
let source: TestSource

before(async () => {
  dataDir = await temporaryFolder('upgrade')
  postgres = await startEmbeddedPostgres({ dataDir })
  source = await startTestSource()
})
after(async () => {
  await source.stop()
  await postgres.stop()
  await rm(dataDir, { recursive: true, force: true })
})

test('after an upgrade, schedules of what is gone rest, what is new is crawled, and a connection without integration can be read and deleted', async (t) => {
  const { get_orders, get_products } = testIntegration().actions
  const offering = (name: string, actions: object) => ({ ...testIntegration(), name, actions }) as Integration
  const old = await start([offering('kept', { get_orders }), offering('gone', { get_orders })])
  const [kept, gone] = [await install(old, 'kept'), await install(old, 'gone')]
  const { db, close } = openDatabase(postgres.url, 2)
  t.after(close)
  const schedules = () =>
    db
      .selectFrom('schedules')
      .select(['connection_id', 'function_name', 'due_at', 'running'])
      .where('first_synced_at', 'is not', null)
      .execute()
  await eventually(async () => (await schedules()).length === 2)
  await old.stop()
  await db.updateTable('schedules').set({ due_at: new Date() }).execute()
  source.asked.length = 0

  const upgraded = await start([offering('kept', { get_products })])
  t.after(upgraded.stop)
  await eventually(async () => (await schedules()).length === 3)
  const rest = (await schedules()).filter(({ due_at, running }) => due_at === null && !running)
  assert.deepEqual(
    rest.map(({ connection_id, function_name }) => `${connection_id} ${function_name}`).sort(),
    [kept, gone].map(({ connection_id }) => `${connection_id} get_orders`).sort(),
  )
  assert.deepEqual(
    source.asked.map(({ kind }) => kind),
    ['products'],
  )

  const sent = { token: gone.access_token, headers: { 'x-service-api-key': old.apiKey } }
  const { body } = await upgraded.call('GET', `/connections/${gone.connection_id}`, sent)
  const { integration_display_name, available_actions, sync_schedules } = body.data[0]
  assert.deepEqual([integration_display_name, available_actions, sync_schedules], ['gone', [], []])
  assert.equal((await upgraded.call('DELETE', '/connections', sent)).status, 200)
})

const encryptionKeys = [Buffer.alloc(32, 7)]

function start(integrations: readonly Integration[]): Promise<TestCrossdock> {
  return startTestCrossdock({ databaseUrl: postgres.url, encryptionKeys }, { integrations })
}

/** A new connection as its exchange answered it. */
async function install(crossdock: TestCrossdock, integration_name: string) {
  const { link_token } = (await crossdock.call('POST', '/link/token')).body
  const installed = await crossdock.call('POST', '/link/install', {
    headers: { 'x-service-link-token': link_token },
    body: { integration_name, credentials: { base_url: source.origin, account: integration_name, worker: 'any' } },
  })
  assert.equal(installed.status, 200, JSON.stringify(installed.body))
  const { auth_code } = installed.body
  return (await crossdock.call('POST', '/link/exchange', { body: { auth_code } })).body as {
    connection_id: string
    access_token: string
  }
}
