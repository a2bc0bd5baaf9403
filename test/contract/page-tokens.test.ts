import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { eventually } from '../../server/src/eventually.fixture.ts'
import { writePageToken } from '../../server/src/http/pages.ts'
import { type Answer, startTestCrossdock, type TestCrossdock } from '../harness/crossdock.ts'

let crossdock: TestCrossdock
let operator: Record<string, string>
/** Each organization reads, with its own sandbox connection where the list asks for one. */
let ours: (path: string) => Promise<Answer>
let theirs: (path: string) => Promise<Answer>
/** Address of every list that takes a limit. */
let lists: string[]

before(async () => {
  crossdock = await startTestCrossdock()
  operator = { 'x-service-operator-key': crossdock.operatorKey }
  const request = { body: { name: 'Theirs' }, headers: operator }
  const { api_key } = (await crossdock.call('POST', '/operator/organizations', request)).body
  await switchAllOn()
  for (let i = 0; i < 2; i++) await leaveTraces()
  ours = await reader(crossdock.apiKey)
  theirs = await reader(api_key)

  const [{ id: warehouseId }] = await eventually(async () => {
    const { data } = (await ours('/wms/warehouses')).body
    return data.length > 0 && data
  })
  const { paths } = (await crossdock.call('GET', '/openapi.json')).body
  lists = Object.entries<{ get?: { parameters?: { name: string }[] } }>(paths).flatMap(([path, { get }]) =>
    get?.parameters?.some(({ name }) => name === 'limit') ? path.replace('{warehouse_id}', warehouseId) : [],
  )
})
after(() => crossdock.stop())

/** What is listed of an organization: a request for an integration and an install that was tried. */
async function leaveTraces() {
  const wish = { integration_type: 'wms', integration_name: 'Any', flows: ['not_sure'] }
  await crossdock.call('POST', '/integration-requests', { body: wish })
  const { link_token } = (await crossdock.call('POST', '/link/token')).body
  const installed = await crossdock.call('POST', '/link/install', {
    body: { integration_name: 'sandbox', sandbox: true },
    headers: { 'x-service-link-token': link_token },
  })
  assert.equal(installed.status, 200)
}

/** What organizations have off at first is on. */
async function switchAllOn() {
  for (const { id } of (await crossdock.call('GET', '/operator/organizations', { headers: operator })).body.data) {
    const body = { disabled_functions: { wms: [] } }
    await crossdock.call('PATCH', `/operator/organizations/${id}`, { body, headers: operator })
  }
}

async function reader(apiKey: string) {
  const headers = { ...operator, 'x-service-api-key': apiKey }
  const token = (await crossdock.call('POST', '/sandbox/generate-sandbox/wms', { headers })).body.access_token
  const body = { start_time: '2026-01-01T00:00:00Z', end_time: '2026-01-02T00:00:00Z', function_name: 'get_orders' }
  for (let i = 0; i < 2; i++) await crossdock.call('POST', '/connections/on-demand-syncs', { headers, token, body })
  return (path: string) => crossdock.call('GET', path, { headers, token })
}

test('a page token is good for the list it came from alone, and for nobody else', async () => {
  assert.ok(lists.length > 15)
  const tokens = new Map<string, string>()
  for (const list of lists) {
    tokens.set(list, await eventually(async () => (await ours(`${list}?limit=1`)).body.next_token))
  }
  for (const [list, token] of tokens) {
    const continued = (path: string, of: typeof ours) => of(`${path}?limit=1&page_token=${token}`)
    assert.equal((await continued(list, ours)).status, 200, list)
    for (const other of lists.filter((each) => each !== list)) refused(await continued(other, ours), `${list} ${other}`)
    if (!list.startsWith('/operator/')) refused(await continued(list, theirs), list)
  }
})

test('the long pages of connections and webhook endpoints go on for their own organization only', async () => {
  const organizations = (await ours('/operator/organizations')).body.data as { id: string; name: string }[]
  const place = ['2020-01-01T00:00:00.000Z', '00000000-0000-4000-8000-000000000000']
  for (const name of ['connections', 'webhook-endpoints']) {
    for (const organization of organizations) {
      const path = `/${name}?page_token=${writePageToken({ name, ownerId: organization.id }, place)}`
      const [own, other] = organization.name === 'default' ? [ours, theirs] : [theirs, ours]
      assert.equal((await own(path)).status, 200, path)
      refused(await other(path), path)
    }
  }
})

function refused({ status, body }: Answer, what: string) {
  assert.equal(status, 422, what)
  assert.deepEqual(body.detail, { query: { page_token: ['Is not a page token of this list.'] } }, what)
}
