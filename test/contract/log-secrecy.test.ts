import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startTestCrossdock, syncedSandbox, type TestCrossdock } from '../harness/crossdock.ts'

let crossdock: TestCrossdock
let token: string

before(async () => {
  crossdock = await startTestCrossdock()
  token = (await syncedSandbox(crossdock)).token
})
after(() => crossdock.stop())

/** The log's entry of an answer, and what the whole of it holds as text. */
async function entryOf(answer: { headers: Headers }) {
  // whatever was asked before a write is in the log once the write is answered
  await crossdock.call('PATCH', '/connections', { token, body: { customer_id: 'settled' } })
  const { body } = await crossdock.call('GET', '/api-logs?limit=5000')
  const id = answer.headers.get('x-request-id')
  const entry = body.data.find((each: { request_id: string }) => each.request_id === id)
  return { entry, text: JSON.stringify(entry) }
}

test('of a request that is passed through, neither headers nor secret parameters are logged', async () => {
  const body = {
    method: 'GET',
    path: '/v1/orders?api_key=in-the-path&status=open',
    params: { key: 'in-the-params', limit: '1' },
    headers: { 'x-key': 'in-the-headers', 'x-what': 'also-in-the-headers' },
  }
  const { entry, text } = await entryOf(await crossdock.call('POST', '/wms/passthrough', { token, body }))
  assert.doesNotMatch(text, /in-the-/)
  assert.equal(entry.request_body.path, '/v1/orders?api_key=***&status=open')
  assert.deepEqual(entry.request_body.params, { key: '***', limit: '1' })
  assert.equal(entry.integration_request_bodies.length, 1)
})

test('a file is logged by its name, here and in what was sent onward', async () => {
  const [{ id }] = (await crossdock.call('GET', '/wms/orders?limit=1', { token })).body.data
  const content = 'Nobody may read this in a log'
  const form = new FormData()
  form.set('file', new Blob([content], { type: 'text/plain' }), 'label.txt')
  const answer = await fetch(`${crossdock.url}/wms/orders/${id}/file`, {
    method: 'POST',
    headers: { 'x-service-api-key': crossdock.apiKey, 'x-service-access-token': token },
    body: form,
  })
  assert.equal(answer.status, 200, await answer.text())
  const { entry, text } = await entryOf(answer)
  assert.ok(!text.includes(Buffer.from(content).toString('base64')))
  assert.deepEqual(entry.request_body, { file: '***', file_name: 'label.txt' })
  assert.equal(entry.integration_request_bodies.length, 1)
})

test('a magic link, which opens an install, is not logged', async () => {
  const { magic_link } = (await crossdock.call('POST', '/magic-links', { token, body: {} })).body
  const read = await crossdock.call('GET', `/magic-links/${magic_link.id}`, { token })
  assert.equal(read.status, 200)
  const { entry, text } = await entryOf(read)
  assert.equal(entry.path_param, '***')
  assert.ok(!text.includes(magic_link.id))
})
