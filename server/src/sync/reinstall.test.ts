import assert from 'node:assert/strict'
import { test } from 'node:test'
import { getConnection } from '../connections/find-connections.ts'
import { reinstallConnection } from '../connections/install-connection.ts'
import { eventually } from '../eventually.fixture.ts'
import { eventsOf, ids, integration, recordsOf, scheduleOf, setStage } from './stage.fixture.ts'

test('a crawl that still has the old credentials saves and tells nothing once a connection is reinstalled', async (t) => {
  const stage = await setStage()
  t.after(() => stage.stop())
  const { db, source, vault, organizationId } = stage
  source.put('old', 'orders', ids(3))
  source.put('new', 'orders', ids(2))
  const id = await stage.connect('old', { disabledFunctions: ['get_products'] })
  const asked = Promise.withResolvers<void>()
  const held = Promise.withResolvers<void>()
  source.before = async ({ account }) => {
    if (account === 'new') return undefined
    asked.resolve()
    await held.promise
    return 401
  }
  const before = stage.startWorker(t, { concurrency: 1 })
  await asked.promise
  await reinstallConnection(db, vault, await getConnection(db, organizationId, id), {
    integration,
    host: 'new',
    credentials: { base_url: source.origin, account: 'new' },
    me: null,
    disabledFunctions: [],
    enabledFunctions: [],
  })
  held.resolve()
  await eventually(() => source.asked.some(({ account }) => account === 'new'))
  await before.stop()
  await stage.crawlAll()
  assert.equal((await recordsOf(db, id, 'wms/orders')).length, 2)
  assert.deepEqual(await db.selectFrom('connection_errors').selectAll().execute(), [])
  const types = (await eventsOf(db, id)).map(({ type }) => type)
  assert.deepEqual(
    types.filter((type) => type.startsWith('connection-error')),
    [],
  )
  const { due_at, failures } = await scheduleOf(db, id, 'get_orders')
  assert.equal(failures, 0)
  assert.ok(due_at!.getTime() > Date.now())
})
