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

test('whatever is documented as JSON is answered as JSON', async () => {
  const { paths } = (await crossdock.call('GET', '/openapi.json')).body
  const asked = Object.keys(paths).filter((path) => {
    const { get } = paths[path]
    return get?.responses[200]?.content?.['application/json'] && !path.includes('{')
  })
  assert.ok(asked.includes('/connections') && asked.includes('/wms/orders') && asked.includes('/api-logs'))
  const headers = { 'x-service-operator-key': crossdock.operatorKey }
  for (const path of asked) {
    const answer = await crossdock.call('GET', path, { token, headers })
    assert.equal(answer.headers.get('content-type'), 'application/json; charset=utf-8', `${path} ${answer.status}`)
  }
})

test('a list read in small pages is the list read at once', async () => {
  const read = async (query: string) => (await crossdock.call('GET', `/wms/products?${query}`, { token })).body
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
