import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { eventually } from '../../../server/src/eventually.fixture.ts'
import { openReceiver, type Receiver } from '../../../server/src/webhooks/rig.fixture.ts'
import { type Connection, type Json, type Stage, startStage } from './connected.ts'

let stage: Stage
let receiver: Receiver
let secret: string
let connection: Connection
/** The credentials in force. */
let user: { login: string; password: string }

before(async () => {
  ;[stage, receiver] = await Promise.all([startStage(), openReceiver()])
  const created = await stage.crossdock.call('POST', '/webhook-endpoints', {
    body: {
      url: `${receiver.url}/hooks`,
      event_types: ['connection-error.created', 'connection-error.updated', 'connection-error.deleted'],
    },
  })
  assert.equal(created.status, 200, JSON.stringify(created.body))
  secret = created.body.webhook_endpoint.secret
  user = { ...stage.tryton.seeded.users.crossdock }
  // these take longest and prove nothing here
  connection = await stage.install(user, {
    disabledFunctions: ['get_inventory', 'get_orders', 'get_inbound_shipments'],
  })
  await connection.firstCrawls()
})

after(async () => {
  await stage?.stop()
  await receiver?.close()
})

test('a password changed in Tryton blocks every endpoint within one crawl, and is told; a reinstall resolves it, and is told', async () => {
  const { admin } = stage.tryton
  const before = new Date().toISOString()
  const [row] = await admin.searchRead('res.user', [['login', '=', user.login]], [])
  user.password = 'Another-7-password'
  await admin.write('res.user', [row!.id], { password: user.password })
  // crawls that begin within seconds of each other share a login
  await eventually(async () => {
    await connection.sync('get_warehouses')
    return (await connection.detail()).sync_schedules.some(({ sync_status }) => sync_status === 'error')
  })

  const { errors, available_actions } = await connection.detail()
  const [error, ...more] = errors
  assert.deepEqual(more, [])
  assert.match(error!.error_message, /user name or password/)
  assert.equal(error!.affected_endpoints.length, available_actions.length)
  assert.ok(error!.affected_endpoints.every(({ preventing_sync }) => preventing_sync))
  assert.deepEqual(await listedErrors(), [
    { ...error, affected_endpoints: error!.affected_endpoints.map(({ endpoint }) => endpoint) },
  ])
  const created = await told('connection-error.created')
  assertEvent(created, 'connection-error.created', error!)
  assert.ok(created.data.created_date >= before)

  const reinstalled = await reinstall()
  assert.deepEqual([reinstalled.connection_id, reinstalled.access_token], [connection.id, connection.token])
  assert.deepEqual((await connection.detail()).errors, [])
  assert.deepEqual(await listedErrors(), [])
  const deleted = await told('connection-error.deleted')
  assertEvent(deleted, 'connection-error.deleted', error!)
  assert.equal(deleted.data.created_date, created.data.created_date)
  await connection.sync()
  assert.deepEqual((await connection.detail()).errors, [])
  assert.equal(receiver.received.length, 2)
})

test('a permission withdrawn for one model is an error of its endpoint alone that blocks nothing; given back, it is resolved', async () => {
  receiver.received.length = 0
  await mayReadReturns(false)
  const before = await connection.list('/wms/returns')
  await connection.sync()
  const { errors, sync_schedules } = await connection.detail()
  const [error, ...more] = errors
  assert.deepEqual(more, [])
  assert.match(error!.error_message, /^You are not allowed to access "Customer Return Shipment/)
  assert.deepEqual(error!.affected_endpoints, [{ endpoint: 'GET /wms/returns', preventing_sync: false }])
  for (const { function_name, sync_status } of sync_schedules) {
    assert.equal(sync_status, function_name === 'get_returns' ? 'error' : 'enabled', function_name)
  }
  assert.deepEqual(await connection.list('/wms/returns'), before)
  assertEvent(await told('connection-error.created'), 'connection-error.created', error!)

  await mayReadReturns(true)
  await connection.sync('get_returns')
  assert.deepEqual((await connection.detail()).errors, [])
  assertEvent(await told('connection-error.deleted'), 'connection-error.deleted', error!)
  assert.equal(receiver.received.length, 2)
})

/** Every message that came is signed, carries the envelope, and has the fields of a connection error, no more. */
function assertEvent(message: Json, type: string, error: { error_message: string; affected_endpoints: unknown }) {
  const { data, ...envelope } = message
  assert.deepEqual(envelope, {
    connection_id: connection.id,
    customer_id: null,
    event_type: type,
    integration_name: 'tryton',
    integration_type: 'wms',
  })
  const { failed_url, created_date, updated_date, last_seen, ...rest } = data
  assert.deepEqual(rest, {
    integration_name: 'tryton',
    error_message: error.error_message,
    affected_endpoints: error.affected_endpoints,
  })
  assert.ok(failed_url.startsWith(stage.tryton.url), failed_url)
  for (const at of [created_date, updated_date, last_seen]) assert.match(at, /^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/)
  assert.ok(created_date <= last_seen)
}

const told = (type: string) =>
  eventually(async () => receiver.received.map(verified).find((message) => message.event_type === type))

const verified = ({ body, headers }: Receiver['received'][number]): Json =>
  new Webhook(secret).verify(body, headers as Record<string, string>)

async function listedErrors() {
  const { body } = await stage.crossdock.call('GET', '/connections')
  return body.data.find((each: Json) => each.connection_id === connection.id).errors
}

async function reinstall(): Promise<Json> {
  const { call } = stage.crossdock
  const { link_token } = (await call('POST', '/link/token', { body: { connection_id: connection.id } })).body
  const credentials = {
    base_url: stage.tryton.url,
    database: stage.tryton.database,
    username: user.login,
    password: user.password,
  }
  const installed = await call('POST', '/link/install', {
    headers: { 'x-service-link-token': link_token },
    body: { integration_name: 'tryton', credentials },
  })
  assert.equal(installed.status, 200, JSON.stringify(installed.body))
  return (await call('POST', '/link/exchange', { body: { auth_code: installed.body.auth_code } })).body
}

async function mayReadReturns(allowed: boolean) {
  const { admin } = stage.tryton
  const rights = await admin.searchRead(
    'ir.model.access',
    [
      ['model.model', '=', 'stock.shipment.out.return'],
      ['group.name', '=', 'Stock'],
    ],
    [],
  )
  assert.equal(rights.length, 1)
  await admin.write('ir.model.access', [rights[0]!.id], { perm_read: allowed })
}
