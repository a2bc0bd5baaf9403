import assert from 'node:assert/strict'
import { test } from 'node:test'
import { useSandbox } from '../harness/sandbox.ts'

const sandbox = useSandbox()
const { call } = sandbox

test('whatever is documented as JSON is answered as JSON', async () => {
  const { paths } = (await call('GET', '/openapi.json')).body
  const asked = Object.keys(paths).filter((path) => {
    const { get } = paths[path]
    return get?.responses[200]?.content?.['application/json'] && !path.includes('{')
  })
  assert.ok(asked.includes('/connections') && asked.includes('/wms/orders') && asked.includes('/api-logs'))
  const headers = { 'x-service-operator-key': sandbox.crossdock.operatorKey }
  for (const path of asked) {
    const answer = await call('GET', path, undefined, headers)
    assert.equal(answer.headers.get('content-type'), 'application/json; charset=utf-8', `${path} ${answer.status}`)
  }
})

test('a list read in small pages is the list read at once', async () => {
  const read = async (query: string) => (await call('GET', `/wms/products?${query}`)).body
  const whole = await read('')
  assert.equal(whole.next_token, null)
  assert.ok(whole.total_count > 14)
  const data: unknown[] = []
  for (let next = ''; next !== null; ) {
    const page = await read(`limit=7&page_token=${next}`)
    assert.equal(page.total_count, page.data.length)
    data.push(...page.data)
    next = page.next_token
  }
  assert.deepEqual(data, whole.data)
})
