import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openReceiver } from '../../server/src/webhooks/rig.fixture.ts'
import { useSandbox } from '../harness/sandbox.ts'

const sandbox = useSandbox()
const ask = (method: string, path: string, body?: unknown) => sandbox.ok(method, path, body)

test("switching a connection's events off calls off those that wait, until they are sent again afterwards", async (t) => {
  let down = true
  const receiver = await openReceiver((_, response) => void response.writeHead(down ? 503 : 200).end())
  t.after(receiver.close)
  const { webhook_endpoint: endpoint } = await ask('POST', '/webhook-endpoints', {
    url: receiver.url,
    event_types: ['product.created'],
  })
  await ask('POST', '/wms/products', { sku: 'SILENT-1', name: 'Silent' })
  await receiver.count(1)
  const [{ id }] = (await ask('GET', '/webhook-events?event_type=product.created')).data
  await ask('PATCH', '/connections', { webhooks_disabled: true })
  down = false

  const { webhook_event: event } = await ask('GET', `/webhook-events/${id}`)
  assert.equal(event.status, 'failed')
  assert.equal(event.deliveries[0].next_attempt_at, null)
  assert.equal((await sandbox.call('POST', `/webhook-events/${id}/redeliver`)).status, 409)
  assert.equal((await ask('POST', `/webhook-endpoints/${endpoint.id}/recover`)).recovered, 0)

  await ask('PATCH', '/connections', { webhooks_disabled: false })
  assert.equal((await ask('POST', `/webhook-endpoints/${endpoint.id}/recover`)).recovered, 1)
  await receiver.count(2)
  assert.equal(receiver.received[1]!.headers['webhook-id'], id)
})
