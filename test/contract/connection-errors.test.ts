import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { eventually } from '../../server/src/eventually.fixture.ts'
import { anOrder } from '../harness/an-order.ts'
import { useSandbox } from '../harness/sandbox.ts'

const sandbox = useSandbox()
const { call, ok } = sandbox

const fail = (function_name: string, status_code: number, error_message: string) =>
  ok('PUT', '/sandbox/faults', { faults: [{ function_name, status_code, error_message }] })
const heal = () => ok('PUT', '/sandbox/faults', { faults: [] })
const errors = async () => (await ok('GET', `/connections/${sandbox.id}`)).data[0].errors
const createOrder = () => call('POST', '/wms/orders', anOrder())
/** Of this test, oldest first. */
let begun = ''
const events = async (type: string) => {
  const path = `/webhook-events?event_type=${type}&start_time=${encodeURIComponent(begun)}`
  const { data } = await ok('GET', path)
  const whole = data.toReversed().map(({ id }: { id: string }) => ok('GET', `/webhook-events/${id}`))
  return (await Promise.all(whole)).map(({ webhook_event }) => webhook_event.payload)
}
beforeEach(async () => {
  await ok('PATCH', '/schedules/toggle-all', { paused: true })
  await heal()
  begun = new Date().toISOString()
})

test('a write refused for its credentials is a blocking error of every endpoint, resolved by one that is taken', async () => {
  await fail('create_order', 401, 'Key withdrawn')
  assert.equal((await createOrder()).status, 400)
  const [error, ...others] = await errors()
  assert.deepEqual(others, [])
  const named = error.affected_endpoints.map(({ endpoint }: { endpoint: string }) => endpoint)
  for (const endpoint of ['GET /wms/orders', 'GET /wms/inventory', 'POST /wms/orders', 'PUT /wms/orders/{order_id}']) {
    assert.ok(named.includes(endpoint), `${endpoint} is not among ${named}`)
  }
  assert.ok(error.affected_endpoints.every((each: { preventing_sync: boolean }) => each.preventing_sync))
  assert.equal((await events('connection-error.created')).length, 1)

  await heal()
  assert.equal((await createOrder()).status, 200)
  assert.deepEqual(await errors(), [])
  assert.equal((await events('connection-error.deleted')).length, 1)
})

test('a write that lacks a permission is an error of its endpoint that blocks nothing, resolved by the next that is taken', async () => {
  await fail('create_order', 403, 'Not for you')
  assert.equal((await createOrder()).status, 400)
  assert.equal((await createOrder()).status, 400)
  const [{ affected_endpoints }, ...others] = await errors()
  assert.deepEqual(others, [])
  assert.deepEqual(affected_endpoints, [{ endpoint: 'POST /wms/orders', preventing_sync: false }])
  assert.equal((await events('connection-error.created')).length, 1)

  await heal()
  assert.equal((await createOrder()).status, 200)
  assert.deepEqual(await errors(), [])
  assert.equal((await events('connection-error.deleted')).length, 1)
})

test('a write that fails for any other reason is told to its caller alone', async () => {
  for (const status of [400, 409, 422, 500]) {
    await fail('create_order', status, 'Not today')
    assert.ok((await createOrder()).status >= 400)
  }
  assert.deepEqual(await errors(), [])
})

test('the error of a function that is switched off ends with it, and is told', async (t) => {
  await fail('get_returns', 403, 'Not for you')
  await ok('POST', '/connections/sync', { functions_to_sync: ['get_returns'] })
  await eventually(async () => (await errors()).length === 1)
  t.after(() => ok('PATCH', '/schedules/disabled-functions', { disabled_functions: [] }))
  await ok('PATCH', '/schedules/disabled-functions', { disabled_functions: ['get_returns'] })
  assert.deepEqual(await errors(), [])
  assert.equal((await events('connection-error.deleted')).length, 1)
})

test('the event of an error that changes holds all that changed as it was', async () => {
  const crawlWith = async (message: string) => {
    await fail('get_returns', 401, message)
    await ok('POST', '/connections/sync', { functions_to_sync: ['get_returns'] })
    return eventually(async () =>
      (await errors()).find((each: { error_message: string }) => each.error_message.includes(message)),
    )
  }
  await crawlWith('First answer')
  await crawlWith('Second answer')
  const [created] = await events('connection-error.created')
  const [updated] = await events('connection-error.updated')
  const { data, previous_attributes } = updated
  assert.deepEqual({ ...data, ...previous_attributes }, created.data)
  assert.deepEqual(Object.keys(previous_attributes).toSorted(), ['error_message', 'last_seen', 'updated_date'])
  await heal()
  assert.equal((await createOrder()).status, 200)
})
