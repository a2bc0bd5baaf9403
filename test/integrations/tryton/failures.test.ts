import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { eventually } from '../../../server/src/eventually.fixture.ts'
import { type Stage, startStage, tryInstall } from './connected.ts'
import { type Relay, startRelay } from './relay.ts'

let stage: Stage
let relay: Relay

before(async () => {
  stage = await startStage()
  relay = await startRelay(stage.tryton.url, stage.tryton.database)
})

after(async () => {
  await stage?.stop()
  await relay?.stop()
})

test('an install is refused in words: wrong password, unknown database, nobody there', async () => {
  const { crossdock, tryton } = stage
  const { limited } = tryton.seeded.users
  const password = await tryInstall(crossdock, tryton, { ...limited, password: 'not-the-password' })
  assert.equal(password.status, 400)
  assert.match(password.body.error, /user name or password/)

  const database = await tryInstall(crossdock, { url: tryton.url, database: 'nowhere' }, limited)
  assert.equal(database.status, 400)
  assert.match(database.body.error, /no database of this name/)
  assert.doesNotMatch(JSON.stringify(database.body), /sqlite/)

  const nobody = await tryInstall(crossdock, { ...tryton, url: 'http://127.0.0.1:9' }, limited)
  assert.equal(nobody.status, 502)
  assert.match(nobody.body.error, /The connection was refused/)
})

test('a user without stock rights gets what it may see, and an error that lets the rest be where it may not', async () => {
  const { limited } = stage.tryton.seeded.users
  const connection = await stage.install(limited)
  await connection.firstCrawls()
  const { errors } = await connection.detail()
  assert.deepEqual(errors.flatMap((error) => error.affected_endpoints.map(({ endpoint }) => endpoint)).sort(), [
    'GET /wms/inbound-shipments',
    'GET /wms/inbound-shipments/suppliers',
    'GET /wms/inventory',
    'GET /wms/orders',
    'GET /wms/returns',
  ])
  for (const error of errors) {
    assert.match(error.error_message, /^You are not allowed to access "/)
    assert.ok(error.affected_endpoints.every(({ preventing_sync }) => !preventing_sync))
  }
  assert.equal((await connection.list('/wms/products')).length, 1040)
  assert.equal((await connection.list('/wms/warehouses')).length, 3)
  assert.deepEqual(await connection.list('/wms/orders'), [])
})

test('a changed password is one error over every endpoint; put right, it is resolved', async () => {
  const { admin, seeded } = stage.tryton
  const { crossdock: user } = seeded.users
  const connection = await stage.install(user, { url: relay.url, disabledFunctions: large })
  await connection.firstCrawls()
  assert.deepEqual((await connection.detail()).errors, [])
  const [row] = await admin.searchRead('res.user', [['login', '=', user.login]], [])

  await admin.write('res.user', [row!.id], { password: 'Another-7-password' })
  // crawls that begin within seconds of each other share a login
  await eventually(async () => {
    await connection.sync('get_warehouses')
    return (await connection.detail()).errors.length > 0
  })
  const { errors, available_actions } = await connection.detail()
  assert.equal(errors.length, 1)
  assert.match(errors[0]!.error_message, /user name or password/)
  assert.equal(errors[0]!.affected_endpoints.length, available_actions.length)
  assert.ok(errors[0]!.affected_endpoints.every(({ preventing_sync }) => preventing_sync))

  await admin.write('res.user', [row!.id], { password: user.password })
  await connection.sync('get_warehouses')
  assert.deepEqual((await connection.detail()).errors, [])
})

test('a session that Tryton has ended is followed by one new login', async () => {
  const connection = await stage.install(stage.tryton.seeded.users.crossdock, {
    url: relay.url,
    disabledFunctions: large,
  })
  await connection.firstCrawls()
  const before = relay.logins
  await relay.endSession()
  await connection.sync('get_warehouses', 'get_products', 'get_returns')
  assert.deepEqual((await connection.detail()).errors, [])
  assert.equal(relay.logins, before + 1)
})

test('a read that is cut off is asked again: returns are crawled all the same', async () => {
  const connection = await stage.install(stage.tryton.seeded.users.crossdock, {
    url: relay.url,
    disabledFunctions: large,
  })
  relay.cutOff('model.stock.move.read')
  await connection.firstCrawls()
  assert.equal(relay.cutOffs, 1)
  assert.deepEqual((await connection.detail()).errors, [])
  assert.ok((await connection.list('/wms/returns')).length > 0)
})

/** Left out where they prove nothing: their crawls take longest. */
const large = ['get_inventory', 'get_orders', 'get_inbound_shipments']
