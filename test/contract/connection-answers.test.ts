import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '../../server/src/eventually.fixture.ts'
import type { Answer } from '../harness/crossdock.ts'
import { useSandbox } from '../harness/sandbox.ts'

const sandbox = useSandbox()

const operator = (method: string, path: string, body?: unknown): Promise<Answer> =>
  sandbox.crossdock.call(method, path, { body, headers: { 'x-service-operator-key': sandbox.crossdock.operatorKey } })

const detail = async () => (await sandbox.crossdock.call('GET', `/connections/${sandbox.id}`)).body.data[0]
const listed = async () => (await sandbox.crossdock.call('GET', '/connections')).body.data[0]

test('whatever changes about a connection, its next answer tells', async () => {
  const { token } = sandbox
  const change = async (method: string, path: string, body: object) => {
    const answer = await sandbox.crossdock.call(method, path, { token, body })
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
  }
  const statusOf = async (name: string) =>
    (await detail()).sync_schedules.find((each: { function_name: string }) => each.function_name === name)?.sync_status
  assert.deepEqual(await detail(), await detail())

  for (const customer_id of ['first', 'second', null]) {
    await change('PATCH', '/connections', { customer_id })
    assert.equal((await detail()).customer_id, customer_id)
  }
  for (const paused of [true, false]) {
    await change('PATCH', '/schedules/get_returns/toggle', { paused })
    assert.equal((await statusOf('get_returns')) === 'disabled', paused)
  }
  const fault = { function_name: 'get_returns', status_code: 403, error_message: 'Not yours', times: 1 }
  for (const [faults, open] of [
    [[fault], 1],
    [[], 0],
  ] as const) {
    await change('PUT', '/sandbox/faults', { faults })
    await change('POST', '/connections/sync', { functions_to_sync: ['get_returns'] })
    await eventually(async () => (await detail()).errors.length === open)
    assert.equal((await listed()).errors.length, open)
  }
  const { id } = (await operator('GET', '/operator/organizations')).body.data[0]
  for (const disabled of [['get_returns'], []]) {
    await operator('PATCH', `/operator/organizations/${id}`, { disabled_functions: { wms: disabled } })
    const { available_actions } = await detail()
    assert.equal(available_actions.includes('get_returns'), disabled.length === 0)
  }
  const { times_used } = await detail()
  await sandbox.crossdock.call('GET', '/wms/returns', { token })
  await eventually(async () => (await detail()).times_used > times_used)
  assert.equal((await listed()).times_used, (await detail()).times_used)
})

test('among many who ask at once, each answer tells what was changed before it was asked for', async () => {
  const { token } = sandbox
  let changed = 0
  let over = false
  const reading = Array.from({ length: 16 }, async () => {
    while (!over) {
      const before = changed
      assert.ok(Number((await detail()).customer_id) >= before)
    }
  })
  for (let i = 1; i <= 100; i++) {
    await sandbox.crossdock.call('PATCH', '/connections', { token, body: { customer_id: String(i) } })
    changed = i
  }
  over = true
  await Promise.all(reading)
})

test('an answer that was kept is not given to another organization', async () => {
  assert.equal((await sandbox.crossdock.call('GET', `/connections/${sandbox.id}`)).status, 200)
  const { api_key } = (await operator('POST', '/operator/organizations', { name: 'Other' })).body
  const stranger = { headers: { 'x-service-api-key': api_key } }
  assert.equal((await sandbox.crossdock.call('GET', `/connections/${sandbox.id}`, stranger)).status, 404)
  assert.deepEqual((await sandbox.crossdock.call('GET', '/connections', stranger)).body.data, [])
})

test('the list of one access token holds its connection, and none where the token is unknown, foreign or empty', async () => {
  const { api_key } = (await operator('POST', '/operator/organizations', { name: 'Third' })).body
  const stranger = { headers: { 'x-service-api-key': api_key } }
  const of = async (token: string, options = {}) =>
    (await sandbox.crossdock.call('GET', `/connections?access_token=${token}`, options)).body
  assert.deepEqual(
    (await of(sandbox.token)).data.map((each: { connection_id: string }) => each.connection_id),
    [sandbox.id],
  )
  const none = { data: [], next_token: null, total_count: 0 }
  for (const answer of [await of('at_unknown'), await of(''), await of(sandbox.token, stranger)]) {
    assert.deepEqual(answer, none)
  }
})
