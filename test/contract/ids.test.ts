import assert from 'node:assert/strict'
import { test } from 'node:test'
import { useSandbox } from '../harness/sandbox.ts'

const sandbox = useSandbox()

const operator = () => ({ 'x-service-operator-key': sandbox.crossdock.operatorKey })
const ask = (method: string, path: string, body?: unknown) => sandbox.ok(method, path, body, operator())

test('an id may be given in upper case too, wherever one is asked for', async () => {
  const window = { start_time: '2026-01-01T00:00:00Z', end_time: '2026-01-02T00:00:00Z', function_name: 'get_orders' }
  const { webhook_endpoint: endpoint } = await ask('POST', '/webhook-endpoints', { url: 'http://127.0.0.1:9/' })
  const job = await ask('POST', '/connections/on-demand-syncs', window)
  const events = (await ask('GET', '/webhook-events')).data
  const [organization] = (await ask('GET', '/operator/organizations')).data
  for (const path of [
    `/connections/${sandbox.id}`,
    `/connections/on-demand-syncs/${job.id}`,
    `/webhook-endpoints/${endpoint.id}`,
    `/webhook-events/${events[0].id}`,
    `/operator/organizations/${organization.id}`,
  ]) {
    assert.equal(idIn(await ask('GET', upper(path))), path.split('/').at(-1))
  }
  const filtered = await ask('GET', `/webhook-events?connection_id=${sandbox.id.toUpperCase()}`)
  assert.equal(filtered.data.length, events.length)
  const policy = await ask('PATCH', upper(`/operator/organizations/${organization.id}`), { historical_days: 31 })
  assert.equal(policy.organization.historical_days, 31)

  const { api_key } = await ask('POST', '/api-keys', { scope: 'read' })
  await ask('DELETE', upper(`/api-keys/${api_key.id}`))
  await ask('POST', upper(`/webhook-endpoints/${endpoint.id}/test`))
  await ask('DELETE', upper(`/webhook-endpoints/${endpoint.id}`))
})

test("a webhook endpoint's new secret can be read, however its id was given when it was made", async () => {
  const { webhook_endpoint: endpoint } = await ask('POST', '/webhook-endpoints', { url: 'http://127.0.0.1:9/' })
  const rotated = await ask('POST', `${upper(`/webhook-endpoints/${endpoint.id}`)}/rotate-secret`)
  const read = await ask('GET', `/webhook-endpoints/${endpoint.id}`)
  assert.equal(read.webhook_endpoint.secret, rotated.webhook_endpoint.secret)
})

/** A path with the UUIDs in it in upper case. */
const upper = (path: string) => path.replace(/[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/, (id) => id.toUpperCase())

/** Of what was read, whatever wraps it. */
function idIn(body: { data?: { connection_id: string }[]; id?: string }): unknown {
  if (body.data) return body.data[0]!.connection_id
  return body.id ?? (Object.values(body)[0] as unknown as { id: string }).id
}
