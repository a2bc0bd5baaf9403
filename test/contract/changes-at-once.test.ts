import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { eventually } from '../../server/src/eventually.fixture.ts'
import type { Integration } from '../../server/src/integrations/define.ts'
import { sandbox } from '../../server/src/integrations/sandbox/index.ts'
import { startTestCrossdock, type TestCrossdock } from '../harness/crossdock.ts'
import { startStubWarehouse } from '../writes/stub-warehouse.ts'

let crossdock: TestCrossdock
let stub: Awaited<ReturnType<typeof startStubWarehouse>>
/** What happens before the system is reached with a key, once. */
const onTheWay = new Map<string, () => Promise<unknown>>()

before(async () => {
  stub = await startStubWarehouse()
  const reached = sandbox(stub.origin)
  const slow: Integration = {
    ...reached,
    name: 'slow',
    displayName: 'Slow',
    async connect(credentials, http) {
      const happens = onTheWay.get(credentials.warehouse_key!)
      onTheWay.delete(credentials.warehouse_key!)
      await happens?.()
      return reached.connect(credentials, http)
    },
  }
  crossdock = await startTestCrossdock({}, { integrations: [slow] })
})
after(async () => {
  await crossdock?.stop()
  await stub?.stop()
})

async function install(body: object, warehouse_key = 'wh_any') {
  const { link_token } = (await crossdock.call('POST', '/link/token', { body })).body
  const answer = await crossdock.call('POST', '/link/install', {
    headers: { 'x-service-link-token': link_token },
    body: { integration_name: 'slow', credentials: { warehouse_key } },
  })
  assert.equal(answer.status, 200)
  const { auth_code } = answer.body
  return (await crossdock.call('POST', '/link/exchange', { body: { auth_code } })).body
}

const change = async (token: string, body: object) => {
  const answer = await crossdock.call('PATCH', '/schedules/disabled-functions', { token, body })
  assert.equal(answer.status, 200)
}
const detail = async (id: string) => (await crossdock.call('GET', `/connections/${id}`)).body.data[0]
const actions = async (id: string): Promise<string[]> => (await detail(id)).available_actions

test('what is switched off while a reinstall is checked stays off', async () => {
  const { connection_id: id, access_token: token } = await install({})
  onTheWay.set('wh_again', () => change(token, { disabled_functions: ['create_order', 'get_orders'] }))
  await install({ connection_id: id }, 'wh_again')
  const available = await actions(id)
  assert.ok(!available.includes('create_order') && !available.includes('get_orders'))
})

test('an install that is left while its login is checked makes no connection', async () => {
  const { link_token } = (await crossdock.call('POST', '/link/token')).body
  const connections = async () => (await crossdock.call('GET', '/connections')).body.total_count
  const before = await connections()
  const leaving = new AbortController()
  onTheWay.set('wh_left', () => {
    leaving.abort()
    // until the server has noticed, which nobody announces
    return setTimeout(500)
  })
  const left = fetch(`${crossdock.url}/link/install`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-service-link-token': link_token },
    body: JSON.stringify({ integration_name: 'slow', credentials: { warehouse_key: 'wh_left' } }),
    signal: leaving.signal,
  })
  await assert.rejects(left)
  const [attempt] = await eventually(async () => {
    const { data } = (await crossdock.call('GET', '/install-attempts?outcome=failed')).body
    return data.length > 0 && data
  })
  assert.match(attempt.message, /left/)
  assert.equal(await connections(), before)
})

test('functions that are switched off and on at once are off and on', async () => {
  const { connection_id: id, access_token: token } = await install({})
  for (let i = 0; i < 10; i++) {
    await change(token, { disabled_functions: [], enabled_functions: [] })
    await Promise.all([
      change(token, { disabled_functions: ['create_order'] }),
      change(token, { enabled_functions: ['get_bills'] }),
    ])
    const available = await actions(id)
    assert.deepEqual([available.includes('create_order'), available.includes('get_bills')], [false, true])
  }
})

test('policies that are changed at once leave every function that is on with its schedule', async () => {
  const { connection_id: id } = await install({})
  const operator = { 'x-service-operator-key': crossdock.operatorKey }
  const [{ id: organizationId }] = (await crossdock.call('GET', '/operator/organizations', { headers: operator })).body
    .data
  const policies = [['get_returns'], [], ['get_returns', 'get_orders'], ['get_bills']]
  for (let i = 0; i < 5; i++) {
    const answers = await Promise.all(
      policies.map((wms) =>
        crossdock.call('PATCH', `/operator/organizations/${organizationId}`, {
          headers: operator,
          body: { disabled_functions: { wms } },
        }),
      ),
    )
    for (const { status } of answers) assert.equal(status, 200)
    const { available_actions, sync_schedules } = await detail(id)
    const scheduled = new Set(sync_schedules.map((schedule: { function_name: string }) => schedule.function_name))
    for (const name of ['get_returns', 'get_orders', 'get_bills', 'get_products']) {
      assert.equal(scheduled.has(name), available_actions.includes(name), `${name} in round ${i}`)
    }
  }
})
