import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Door, openDoor, operatorHeaders, type Sent } from '../http/door.fixture.ts'
import { bootstrapOrganization } from './organizations.ts'

let door: Door
before(async () => {
  door = await openDoor()
})
after(() => door.close())

const operate = (method: string, path: string, json?: unknown) =>
  door.call(method, `/operator/organizations${path}`, { key: null, json, headers: operatorHeaders })

/** A new organization with the key it was made with. */
async function organize(name = 'New') {
  const { status, body } = await operate('POST', '', { name })
  assert.equal(status, 200)
  return {
    organization: body.organization,
    key: body.api_key as string,
    call: (method: string, path: string, sent: Sent = {}) => door.call(method, path, { key: body.api_key, ...sent }),
  }
}

test('a key is told only where it is made', async () => {
  const { call, key } = await organize()
  const { api_key: made } = (await call('POST', '/api-keys')).body
  assert.deepEqual(Object.keys(made), ['id', 'scope', 'hint', 'created_at', 'key'])
  assert.match(made.key, /^sk_[\w-]{43}$/)
  assert.equal(made.hint, made.key.slice(-4))
  const { text, body } = await call('GET', '/api-keys')
  assert.ok(!text.includes(made.key) && !text.includes(key))
  assert.deepEqual([body.next_token, body.total_count, body.data.length], [null, 2, 2])
  const { key: _, ...shown } = made
  assert.deepEqual(body.data[1], shown)
})

test('a key is full unless it is asked to be read-only', async () => {
  const { call } = await organize()
  const read = (await call('POST', '/api-keys', { json: { scope: 'read' } })).body.api_key
  assert.deepEqual([read.scope, read.key.slice(0, 3)], ['read', 'rk_'])
  assert.equal((await call('POST', '/api-keys', { json: {} })).body.api_key.scope, 'full')
  const { status, body } = await call('POST', '/api-keys', { json: { scope: 'all', name: 'x' } })
  assert.equal(status, 422)
  assert.deepEqual(body.detail, { json: { scope: ['Must be one of: full, read.'], name: ['Unknown field.'] } })
})

test('a key may revoke itself, but not the last that can make another', async () => {
  const { call } = await organize()
  const second = (await call('POST', '/api-keys')).body.api_key
  await call('POST', '/api-keys', { json: { scope: 'read' } })
  const { status, body } = await call('DELETE', `/api-keys/${second.id}`, { key: second.key })
  assert.deepEqual([status, body], [200, { id: second.id, object: 'api_key', deleted: true }])
  const first = (await call('GET', '/api-keys')).body.data[0]
  const last = await call('DELETE', `/api-keys/${first.id}`)
  assert.deepEqual([last.status, last.body.origin], [409, 'service'])
  assert.equal((await call('GET', '/api-keys')).body.total_count, 2)
})

test('two keys that revoke each other at once leave one', async () => {
  for (let round = 0; round < 5; round++) {
    const { call } = await organize()
    await call('POST', '/api-keys')
    const { data } = (await call('GET', '/api-keys')).body
    const answers = await Promise.all(data.map(({ id }: { id: string }) => call('DELETE', `/api-keys/${id}`)))
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409])
  }
})

test("another organization's key is the same 404 as one that never existed", async () => {
  const [own, other] = [await organize(), await organize()]
  const { id } = (await other.call('GET', '/api-keys')).body.data[0]
  const { status, body } = await own.call('DELETE', `/api-keys/${id}`)
  assert.deepEqual([status, body], [404, { error: 'API key not found', origin: 'service', id }])
  assert.equal((await own.call('GET', '/api-keys')).body.total_count, 1)
})

test('a new organization can be read, is listed, and its key works', async () => {
  const { organization, call } = await organize('Nordlicht')
  assert.deepEqual([organization.name, organization.historical_days], ['Nordlicht', 30])
  assert.deepEqual((await operate('GET', `/${organization.id}`)).body, { organization })
  const { data, total_count, next_token } = (await operate('GET', '')).body
  assert.deepEqual([data.length, next_token], [total_count, null])
  assert.deepEqual(data.at(-1), organization)
  assert.equal((await call('GET', '/api-keys')).status, 200)
})

test('processes that start together make one organization between them, once', async () => {
  await door.db.deleteFrom('api_keys').execute()
  await door.db.deleteFrom('organizations').execute()
  const wanted = 'sk_chosen by the operator'
  const keys = await Promise.all([1, 2, 3].map(() => bootstrapOrganization(door.db, wanted)))
  assert.deepEqual(keys.toSorted(), [wanted, null, null].toSorted())
  const { data } = (await operate('GET', '')).body
  assert.deepEqual(
    data.map(({ name }: { name: string }) => name),
    ['default'],
  )
  assert.equal((await door.call('GET', '/api-keys', { key: wanted })).status, 200)
})

test('a new organization does not sync bills and the inventory ledger', async () => {
  const { organization } = await organize()
  assert.deepEqual(organization.disabled_functions.wms.toSorted(), ['get_bills', 'get_inventory_ledger'])
})

test('a policy is changed by type, and schedules are brought in line', async () => {
  const { organization } = await organize()
  const path = `/${organization.id}`
  const before = door.aligned.length
  const days = await operate('PATCH', path, { historical_days: 1095 })
  assert.deepEqual(days.body, { organization: { ...organization, historical_days: 1095 } })
  assert.equal(door.aligned.length, before)
  const wms = ['get_orders', 'get_returns']
  const changed = await operate('PATCH', path, { disabled_functions: { wms } })
  const expected = { ...organization.disabled_functions, wms }
  assert.deepEqual(changed.body.organization, { ...organization, historical_days: 1095, disabled_functions: expected })
  assert.deepEqual(door.aligned.slice(before), [organization.id])
  assert.deepEqual((await operate('GET', path)).body, changed.body)
  const back = { disabled_functions: changed.body.organization.disabled_functions }
  assert.equal((await operate('PATCH', path, back)).status, 200)
})

test('the brand of an organization is set, stays where it is not named, and is taken away with null', async () => {
  const { organization } = await organize()
  const path = `/${organization.id}`
  const brand = { brand_color: '#1f6feb', brand_logo_url: 'https://cdn.example/logo.svg' }
  const set = await operate('PATCH', path, brand)
  assert.deepEqual([set.status, set.body], [200, { organization: { ...organization, ...brand } }])
  const black = { brand_color: '#000000' }
  assert.deepEqual((await operate('PATCH', path, black)).body.organization, { ...organization, ...brand, ...black })
  const away = { brand_color: null, brand_logo_url: null }
  assert.deepEqual((await operate('PATCH', path, away)).body, { organization })
  assert.deepEqual((await operate('GET', path)).body, { organization })
})

test('a policy that names what does not exist is refused whole', async () => {
  const { organization } = await organize()
  const { status, body } = await operate('PATCH', `/${organization.id}`, {
    disabled_functions: { wms: ['get_orders', 'get_nothing'], warehouse: ['get_orders'], erp: 'all' },
    historical_days: 1096,
    name: 'x',
  })
  assert.equal(status, 422)
  const { wms, ...rest } = body.detail.json.disabled_functions
  assert.match(wms[1][0], /^Must be one of: .*get_orders/)
  assert.deepEqual(rest, { warehouse: ['Unknown field.'], erp: ['Must be an array.'] })
  assert.deepEqual(body.detail.json.historical_days, ['Must be at most 1095.'])
  assert.deepEqual(body.detail.json.name, ['Unknown field.'])
  for (const json of [{}, { historical_days: 0 }, { historical_days: 1.5 }, { historical_days: null }]) {
    assert.equal((await operate('PATCH', `/${organization.id}`, json)).status, 422)
  }
  assert.deepEqual((await operate('GET', `/${organization.id}`)).body, { organization })
})

test('the operator makes a key for an organization that lost its own', async () => {
  const { organization, call } = await organize()
  const { api_key } = (await operate('POST', `/${organization.id}/api-keys`, { scope: 'read' })).body
  assert.equal(api_key.scope, 'read')
  assert.equal((await call('GET', '/api-keys', { key: api_key.key })).body.total_count, 2)
})

test('an organization that does not exist is 404 with its id, whatever the id', async () => {
  for (const id of [crypto.randomUUID(), 'x', '__proto__', "'--"]) {
    const path = `/${encodeURIComponent(id)}`
    for (const answer of [
      await operate('GET', path),
      await operate('PATCH', path, { historical_days: 1 }),
      await operate('POST', `${path}/api-keys`),
    ]) {
      assert.deepEqual([answer.status, answer.body], [404, { error: 'Organization not found', origin: 'service', id }])
    }
  }
})

test('an organization needs a name', async () => {
  for (const json of [{}, { name: '' }, { name: 'x'.repeat(201) }, { name: 7 }]) {
    assert.ok((await operate('POST', '', json)).body.detail.json.name)
  }
})
