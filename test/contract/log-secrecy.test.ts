import assert from 'node:assert/strict'
import { test } from 'node:test'
import { useSandbox } from '../harness/sandbox.ts'

const sandbox = useSandbox()
const { call } = sandbox

/** The log's entry of an answer, and what the whole of it holds as text. */
async function entryOf(answer: { headers: Headers }) {
  // whatever was asked before a write is in the log once the write is answered
  await call('PATCH', '/connections', { customer_id: 'settled' })
  const { body } = await call('GET', '/api-logs?limit=5000')
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
  const { entry, text } = await entryOf(await call('POST', '/wms/passthrough', body))
  assert.doesNotMatch(text, /in-the-/)
  assert.equal(entry.request_body.path, '/v1/orders?api_key=***&status=open')
  assert.deepEqual(entry.request_body.params, { key: '***', limit: '1' })
  assert.equal(entry.integration_request_bodies.length, 1)
})

test('a file is logged by its name, here and in what was sent onward', async () => {
  const [{ id }] = (await call('GET', '/wms/orders?limit=1')).body.data
  const content = 'Nobody may read this in a log'
  const form = new FormData()
  form.set('file', new Blob([content], { type: 'text/plain' }), 'label.txt')
  const answer = await fetch(`${sandbox.crossdock.url}/wms/orders/${id}/file`, {
    method: 'POST',
    headers: { 'x-service-api-key': sandbox.crossdock.apiKey, 'x-service-access-token': sandbox.token },
    body: form,
  })
  assert.equal(answer.status, 200, await answer.text())
  const { entry, text } = await entryOf(answer)
  assert.ok(!text.includes(Buffer.from(content).toString('base64')))
  assert.deepEqual(entry.request_body, { file: '***', file_name: 'label.txt' })
  assert.equal(entry.integration_request_bodies.length, 1)
})

test('a file that is no file takes nothing else out of the entry', async () => {
  const [{ id }] = (await call('GET', '/wms/orders?limit=1')).body.data
  for (const file of ['"', 'e', '{}}}}}}}', '"":"","']) {
    const form = new FormData()
    form.set('file', file)
    const answer = await fetch(`${sandbox.crossdock.url}/wms/orders/${id}/file`, {
      method: 'POST',
      headers: { 'x-service-api-key': sandbox.crossdock.apiKey, 'x-service-access-token': sandbox.token },
      body: form,
    })
    const { error } = (await answer.json()) as { error: string }
    const { entry } = await entryOf(answer)
    assert.deepEqual([entry.status_code, entry.error, entry.request_body], [answer.status, error, { file: '***' }])
  }
})

test('a magic link, which opens an install, is not logged', async () => {
  const { magic_link } = (await call('POST', '/magic-links', {})).body
  const read = await call('GET', `/magic-links/${magic_link.id}`)
  assert.equal(read.status, 200)
  const { entry, text } = await entryOf(read)
  assert.equal(entry.path_param, '***')
  assert.ok(!text.includes(magic_link.id))
})
