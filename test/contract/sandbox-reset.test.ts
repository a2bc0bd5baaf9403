import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { eventually } from '../../server/src/eventually.fixture.ts'
import { anOrder } from '../harness/an-order.ts'
import { type Answer, startTestCrossdock, syncedSandbox, type TestCrossdock } from '../harness/crossdock.ts'

let crossdock: TestCrossdock
let sandbox: { id: string; token: string }
before(async () => {
  crossdock = await startTestCrossdock()
})
beforeEach(async () => {
  sandbox = await syncedSandbox(crossdock)
})
after(() => crossdock.stop())

async function ok(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
  const answer: Answer = await crossdock.call(method, path, { token: sandbox.token, body, headers })
  assert.equal(answer.status, 200, `${method} ${path} ${JSON.stringify(answer.body)}`)
  return answer.body
}

const detail = async () => (await ok('GET', `/connections/${sandbox.id}`)).data[0]
const schedules = async () => (await detail()).sync_schedules as { function_name: string; sync_status: string }[]
const frequencies = async () =>
  Object.fromEntries((await detail()).sync_schedules.map((each: any) => [each.function_name, each.sync_frequency]))
const reset = () => ok('POST', '/sandbox/generate-sandbox/wms')

/** Resolves when every function that is on has crawled for the first time since the sandbox was made. */
const synced = () =>
  eventually(async () => {
    const { historical_sync_completed, available_actions } = await detail()
    return Object.entries(historical_sync_completed).every(([name, done]) => done || !available_actions.includes(name))
  })

test('a sandbox reinstalled through a link keeps its data, faults and schedules', async () => {
  const { data: order } = await ok('POST', '/wms/orders', anOrder({ order_number: 'kept-by-reinstall' }))
  const fault = { function_name: 'create_return', status_code: 503 }
  await ok('PUT', '/sandbox/faults', { faults: [fault] })
  await ok('PATCH', '/schedules/get_returns', { sync_frequency: 7200 })
  await ok('PATCH', '/schedules/get_returns/toggle', { paused: true })
  await ok('PATCH', '/schedules/disabled-functions', { disabled_functions: ['get_warehouses'] })
  const before = await frequencies()

  const { link_token } = await ok('POST', '/link/token', { connection_id: sandbox.id })
  const { magic_link } = await ok('POST', '/magic-links', {
    connection_id: sandbox.id,
    disabled_functions: ['create_return'],
  })
  for (const opener of [link_token, magic_link.id]) {
    await ok('POST', '/link/install', { integration_name: 'sandbox' }, { 'x-service-link-token': opener })
    assert.deepEqual((await ok('GET', `/wms/orders/${order.id}`)).data, order)
    assert.deepEqual((await ok('GET', '/sandbox/faults')).faults, [fault])
    assert.deepEqual(await frequencies(), before)
    const returns = (await schedules()).find((each) => each.function_name === 'get_returns')
    assert.equal(returns?.sync_status, 'disabled')
  }
  const { available_actions } = await detail()
  assert.deepEqual(
    ['get_warehouses', 'create_return', 'create_order'].map((name) => available_actions.includes(name)),
    [false, false, true],
  )
  // its key of the warehouse still opens it
  await ok('POST', '/connections/sync', { functions_to_sync: ['get_orders'] })
  const { data } = await ok('POST', '/wms/orders', anOrder({ order_number: 'after-reinstall' }))
  assert.equal((await ok('GET', `/wms/orders/${data.id}`)).data.order_number, 'after-reinstall')
})

test('a reset sandbox is as new: its schedules run again as they did at first, and all its data arrive', async () => {
  const { available_actions } = await detail()
  const before = await frequencies()
  await ok('PATCH', '/schedules/get_orders', { sync_frequency: 60 })
  await ok('PATCH', '/schedules/disabled-functions', {
    disabled_functions: ['get_returns', 'create_order'],
    enabled_functions: ['get_bills'],
  })
  await ok('PATCH', '/schedules/toggle-all', { paused: true })
  await reset()
  await synced()
  assert.deepEqual((await detail()).available_actions, available_actions)
  assert.deepEqual(await frequencies(), before)
  assert.ok((await schedules()).every(({ sync_status }) => sync_status !== 'disabled'))
  for (const list of ['orders', 'returns', 'products', 'inventory', 'warehouses']) {
    assert.ok((await ok('GET', `/wms/${list}?limit=1`)).data.length > 0, list)
  }
})

test('a write repeated with its key after a reset is done anew, for what it made is gone', async () => {
  const create = () =>
    ok('POST', '/wms/orders', anOrder({ order_number: 'made-twice' }), { 'idempotency-key': 'the same' })
  const first = await create()
  assert.deepEqual(await create(), first)
  await reset()
  const second = await create()
  assert.equal((await ok('GET', `/wms/orders/${second.id}`)).data.order_number, 'made-twice')
})

test('a reset itself may be repeated with its key: it is done once', async () => {
  const again = () => ok('POST', '/sandbox/generate-sandbox/wms', undefined, { 'idempotency-key': 'one reset' })
  const answer = await again()
  await ok('PUT', '/sandbox/faults', { faults: [{ function_name: 'get_orders', status_code: 503 }] })
  assert.deepEqual(await again(), answer)
  assert.equal((await ok('GET', '/sandbox/faults')).faults.length, 1)
})
