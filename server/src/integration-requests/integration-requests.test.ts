import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startInstallation } from '../install/installation.fixture.ts'

let house: Awaited<ReturnType<typeof startInstallation>>
before(async () => {
  house = await startInstallation()
})
after(() => house.stop())

const wish = { integration_type: 'wms', integration_name: 'Some WMS', flows: ['read_orders', 'not_sure'] }

test('a request is stored and read by the operator, with all it says', async () => {
  const full = {
    ...wish,
    integration_contact_email: 'someone@example.com',
    brand_name: 'A brand',
    brand_contact_email: null,
    api_docs_url: 'https://docs.example.com/api',
    api_docs_via_email: true,
    prod_creds_url: 'https://vault.example.com/1',
    sandbox_creds_url: null,
    notes: 'By spring',
  }
  assert.deepEqual((await house.ours.post('/integration-requests', full)).body, { success: true })
  const { status, body } = await house.operator('GET', '/operator/integration-requests?limit=1')
  assert.equal(status, 200)
  const { id, created_at, organization_id, ...stored } = body.data[0]
  assert.deepEqual(stored, full)
  assert.equal(organization_id, house.ours.organizationId)
  assert.ok(id && created_at)
})

test('the operator reads page by page, newest first, and nobody else reads', async () => {
  for (const name of ['first', 'second', 'third']) {
    await house.ours.post('/integration-requests', { ...wish, integration_name: name })
  }
  const first = (await house.operator('GET', '/operator/integration-requests?limit=2')).body
  assert.deepEqual(namesOf(first), ['third', 'second'])
  const second = await house.operator('GET', `/operator/integration-requests?limit=2&page_token=${first.next_token}`)
  assert.equal(namesOf(second.body)[0], 'first')
  assert.equal((await house.ours.get('/operator/integration-requests')).status, 401)
})

test('flows are listed by type and each type takes only its own', async () => {
  const { body } = await house.ours.get('/integration-requests/flows')
  assert.deepEqual(Object.keys(body.data), ['wms', 'cart', 'carrier'])
  for (const [type, flows] of Object.entries(body.data as Record<string, string[]>)) {
    const taken = await house.ours.post('/integration-requests', { ...wish, integration_type: type, flows })
    assert.equal(taken.status, 200)
  }
  const { status, body: refused } = await house.ours.post('/integration-requests', {
    ...wish,
    integration_type: 'carrier',
    flows: ['get_files', 'read_orders', 7],
  })
  assert.equal(status, 422)
  assert.deepEqual(Object.keys(refused.detail.json.flows), ['1', '2'])
})

test('texts of a request may be any, and long; only the name may not be empty', async () => {
  const names = [
    'integration_contact_email',
    'brand_name',
    'brand_contact_email',
    'api_docs_url',
    'prod_creds_url',
    'sandbox_creds_url',
    'notes',
  ]
  for (const text of ['', 'ask the warehouse', 'x'.repeat(20_000)]) {
    const texts = Object.fromEntries(names.map((name) => [name, text]))
    const request = { ...wish, integration_name: text || 'Any', flows: Array(101).fill('read_orders'), ...texts }
    assert.deepEqual((await house.ours.post('/integration-requests', request)).body, { success: true })
    const { body } = await house.operator('GET', '/operator/integration-requests?limit=1')
    const { id, created_at, organization_id, api_docs_via_email, ...stored } = body.data[0]
    assert.deepEqual(stored, request)
  }
})

test('a request is bounded, whoever files it', async () => {
  const { link_token } = (await house.theirs.post('/link/token')).body
  const request = { ...wish, integration_name: '', notes: 'x'.repeat(20_001), flows: Array(1001).fill('read_orders') }
  const answers = [await house.ours.post('/integration-requests', request), await house.page(link_token).ask(request)]
  for (const { status, body } of answers) {
    assert.equal(status, 422)
    assert.deepEqual(body.detail.json, {
      integration_name: ['May not be empty.'],
      flows: ['May have at most 1000 items.'],
      notes: ['May have at most 20000 characters.'],
    })
  }
  const long = await house.ours.post('/integration-requests', { ...wish, integration_name: 'x'.repeat(20_001) })
  assert.deepEqual(long.body.detail.json, { integration_name: ['May have at most 20000 characters.'] })
})

test('the flows of one type can be asked for alone', async () => {
  const { data } = (await house.ours.get('/integration-requests/flows')).body
  for (const type of Object.keys(data)) {
    const one = await house.ours.get(`/integration-requests/flows?integration_type=${type}`)
    assert.deepEqual(one.body, { data: { [type]: data[type] } })
  }
  const { status, body } = await house.ours.get('/integration-requests/flows?integration_type=erp')
  assert.deepEqual([status, Object.keys(body.detail.query)], [422, ['integration_type']])
})

test('every fault of a request is told at once under its field', async () => {
  const { status, body } = await house.ours.post('/integration-requests', {
    integration_type: 'erp',
    flows: [],
    integration_contact_email: true,
    api_docs_via_email: null,
    api_docs_url: [],
    notes: 5,
    surplus: 1,
  })
  assert.equal(status, 422)
  assert.deepEqual(Object.keys(body.detail.json).sort(), [
    'api_docs_url',
    'api_docs_via_email',
    'flows',
    'integration_contact_email',
    'integration_name',
    'integration_type',
    'notes',
    'surplus',
  ])
  assert.equal((await house.ours.post('/integration-requests')).status, 422)
  const all = await house.ours.post('/integration-requests', {
    integration_type: 'wms',
    flows: ['get_files'],
    surplus: 1,
  })
  assert.deepEqual(Object.keys(all.body.detail.json).sort(), ['flows', 'integration_name', 'surplus'])
})

test('the install page files a request for the organization of its link', async () => {
  const { link_token } = (await house.theirs.post('/link/token')).body
  assert.equal((await house.page(link_token).ask({ ...wish, integration_name: 'From the page' })).status, 200)
  assert.equal((await house.page('lt_unknown').ask(wish)).status, 401)
  const { body } = await house.operator('GET', '/operator/integration-requests?limit=1')
  assert.deepEqual([namesOf(body)[0], body.data[0].organization_id], ['From the page', house.theirs.organizationId])
})

const namesOf = (page: { data: { integration_name: string }[] }) => page.data.map((request) => request.integration_name)
