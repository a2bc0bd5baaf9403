import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, test } from 'node:test'
import { createConnection } from '../connections/install-connection.ts'
import { credentialsForm, defineIntegration } from '../integrations/define.ts'
import { createApiKey } from '../organizations/api-keys.ts'
import { createOrganization } from '../organizations/organizations.ts'
import { newAccessToken, Vault } from '../secrets.ts'
import { type Door, openDoor, operatorHeaders } from './door.fixture.ts'

let door: Door
const vault = new Vault([randomBytes(32)])

before(async () => {
  door = await openDoor({
    routes(app) {
      const schema = { hide: true }
      app.get('/whose', { config: { access: 'connection' }, schema }, async ({ connection }) => ({
        id: connection?.id,
      }))
      const config = { access: 'key', accessToken: 'optional' } as const
      app.get('/fitting', { config, schema }, async ({ connection }) => ({ id: connection?.id ?? null }))
      app.get('/anybody', { config: { access: 'public' }, schema }, async () => ({ ok: true }))
    },
  })
})
after(() => door.close())

async function connect(organizationId: string) {
  const identity = { id: crypto.randomUUID(), accessToken: newAccessToken() }
  const integration = defineIntegration({
    name: 'none',
    type: 'wms',
    displayName: 'None',
    description: '',
    install: credentialsForm({}),
    connect: () => ({}),
    account: async () => null,
    actions: {},
  })
  await createConnection(door.db, vault, {
    identity,
    organizationId,
    integration,
    host: 'localhost',
    credentials: {},
    me: null,
    customerId: null,
    disabledFunctions: [],
    enabledFunctions: [],
  })
  return identity
}

const tokenHeader = (token: string) => ({ headers: { 'x-service-access-token': token } })

/** Resolves, once a call is refused, with how long after `since` (ms) one that was let in had begun. */
async function lastAdmission(since: number, call: () => Promise<{ status: number }>) {
  for (let last = 0; ; ) {
    const begun = performance.now() - since
    if ((await call()).status === 401) return last
    last = begun
  }
}

for (const [name, key] of [
  ['missing', null],
  ['empty', ''],
  ['wrong', 'sk_wrong'],
  ['not ASCII', 'sk_\u00e9\u00ff'],
  ['16 times too long', `sk_${'x'.repeat(700)}`],
] as const) {
  test(`an API key that is ${name} is 401`, async () => {
    const { status, body } = await door.call('GET', '/api-keys', { key })
    assert.deepEqual([status, body], [401, { error: 'Invalid API key', origin: 'service' }])
  })
}

test('an API key does not open the operator routes, and an operator key nothing else', async () => {
  assert.equal((await door.call('GET', '/operator/organizations')).status, 401)
  assert.equal((await door.call('GET', '/operator/organizations', { headers: operatorHeaders })).status, 200)
  assert.equal((await door.call('GET', '/api-keys', { key: null, headers: operatorHeaders })).status, 401)
})

test('a public route asks for no key and minds none that is wrong', async () => {
  assert.equal((await door.call('GET', '/anybody', { key: null })).status, 200)
  assert.equal((await door.call('GET', '/anybody', { key: 'sk_wrong', ...tokenHeader('at_wrong') })).status, 200)
})

test('a key is asked for before the body is looked at', async () => {
  assert.equal((await door.call('POST', '/api-keys', { key: null, body: '{' })).status, 401)
})

test('a read-only key reads and is 403 on every write', async () => {
  const { key } = await createApiKey(door.db, door.organization.id, 'read')
  assert.equal((await door.call('GET', '/api-keys', { key })).status, 200)
  assert.equal((await door.call('HEAD', '/api-keys', { key })).status, 200)
  const { status, body } = await door.call('POST', '/api-keys', { key })
  assert.deepEqual([status, body], [403, { error: 'This API key is read-only', origin: 'service' }])
  assert.equal((await door.call('DELETE', '/api-keys/x', { key })).status, 403)
})

test('an access token opens its connection for its own organization only', async () => {
  const own = await connect(door.organization.id)
  const { organization: other } = await createOrganization(door.db, 'Other')
  const foreign = await connect(other.id)
  const whose = await door.call('GET', '/whose', tokenHeader(own.accessToken))
  assert.deepEqual([whose.status, whose.body], [200, { id: own.id }])
  const refused = [
    await door.call('GET', '/whose'),
    await door.call('GET', '/whose', tokenHeader('')),
    await door.call('GET', '/whose', tokenHeader('at_wrong')),
    await door.call('GET', '/whose', tokenHeader(foreign.accessToken)),
  ]
  for (const { status, body } of refused) {
    assert.deepEqual([status, body], [401, { error: 'Invalid access token', origin: 'service' }])
  }
})

test('an access token that opens nothing is no token where none is required, unless the answer depends on it', async () => {
  const own = await connect(door.organization.id)
  const { organization: other } = await createOrganization(door.db, 'Yet another')
  const foreign = await connect(other.id)
  const fitting = await door.call('GET', '/fitting', tokenHeader(own.accessToken))
  assert.deepEqual([fitting.status, fitting.body], [200, { id: own.id }])
  assert.deepEqual((await door.call('GET', '/fitting')).body, { id: null })
  for (const token of ['', 'at_wrong', foreign.accessToken]) {
    assert.equal((await door.call('GET', '/api-keys', tokenHeader(token))).status, 200)
    const { status, body } = await door.call('GET', '/fitting', tokenHeader(token))
    assert.deepEqual([status, body], [401, { error: 'Invalid access token', origin: 'service' }])
  }
})

test('a key that is revoked here is refused at once', async () => {
  const { id, key } = await createApiKey(door.db, door.organization.id, 'full')
  assert.equal((await door.call('GET', '/api-keys', { key })).status, 200)
  assert.equal((await door.call('DELETE', `/api-keys/${id}`)).status, 200)
  assert.equal((await door.call('GET', '/api-keys', { key })).status, 401)
})

test('a key revoked and a connection deleted by another process are refused within one second', async () => {
  const { id, key } = await createApiKey(door.db, door.organization.id, 'full')
  const connection = await connect(door.organization.id)
  const byKey = () => door.call('GET', '/api-keys', { key })
  const byToken = () => door.call('GET', '/whose', tokenHeader(connection.accessToken))
  assert.deepEqual([(await byKey()).status, (await byToken()).status], [200, 200])
  await door.db.deleteFrom('api_keys').where('id', '=', id).execute()
  await door.db.deleteFrom('connections').where('id', '=', connection.id).execute()
  const since = performance.now()
  for (const admittedMs of await Promise.all([byKey, byToken].map((call) => lastAdmission(since, call)))) {
    assert.ok(admittedMs < 1000, `let in ${admittedMs} ms later`)
  }
})

test('a key that did not exist opens as soon as it does', async () => {
  const key = `sk_${randomBytes(32).toString('base64url')}`
  assert.equal((await door.call('GET', '/api-keys', { key })).status, 401)
  await createApiKey(door.db, door.organization.id, 'full', key)
  assert.equal((await door.call('GET', '/api-keys', { key })).status, 200)
})
