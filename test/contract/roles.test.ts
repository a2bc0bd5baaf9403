import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, test } from 'node:test'
import pg from 'pg'
import { requireVersion } from '../../server/src/db/storage.ts'
import { eventually } from '../../server/src/eventually.fixture.ts'
import { syncedSandbox } from '../harness/crossdock.ts'
import { type Postgres, startPostgres15 } from '../harness/postgres.ts'
import { runProduct, startProduct } from '../harness/product.ts'

const there = await startPostgres15()
const options = 'reason' in there ? { skip: there.reason } : {}
const postgres = there as Postgres
const DATABASE_URL = postgres.url
const OPERATOR_KEY = 'operator of this test'
const BOOTSTRAP_API_KEY = `sk_${randomBytes(16).toString('hex')}`
const firstKey = randomBytes(32).toString('base64')
const secondKey = randomBytes(32).toString('base64')
const common = { DATABASE_URL, OPERATOR_KEY, BOOTSTRAP_API_KEY, RATE_LIMIT_READ_PER_SECOND: '0' }
const env = { ...common, ENCRYPTION_KEY: firstKey }

after(() => postgres.stop?.())

test('migrate prepares a database, and ends', options, async (t) => {
  const product = runProduct(t, 'migrate', { through: 'npm', env })
  assert.equal(await product.exited, 0)
  assert.ok((await query('select name from kysely_migration')).length > 0)
})

test('several api and worker processes serve one database together', options, async (t) => {
  runProduct(t, 'worker', { through: 'npm', env })
  runProduct(t, 'worker', { env })
  const one = await startProduct(t, 'api', { env })
  const other = await startProduct(t, 'api', { through: 'npm', env })
  const { id, token } = await syncedSandbox(one)
  const [first, second] = await Promise.all([one, other].map((api) => api.call('GET', '/wms/orders', { token })))
  assert.ok(first!.body.data.length > 0)
  assert.deepEqual(second!.body, first!.body)

  const { api_key } = (await one.call('POST', '/api-keys', { body: { scope: 'full' } })).body
  const withKey = { headers: { 'x-service-api-key': api_key.key } }
  for (const api of [one, other]) assert.equal((await api.call('GET', '/connections', withKey)).status, 200)
  assert.equal((await one.call('DELETE', `/api-keys/${api_key.id}`)).status, 200)
  await refusedWithinASecond(() => other.call('GET', '/connections', withKey))
  await refusedWithinASecond(() => one.call('GET', '/connections', withKey))

  assert.equal((await other.call('GET', '/wms/orders', { token })).status, 200)
  assert.equal((await one.call('DELETE', '/connections', { token })).body.id, id)
  await refusedWithinASecond(() => other.call('GET', '/wms/orders', { token }))
  await refusedWithinASecond(() => one.call('GET', '/wms/orders', { token }))
})

test(
  'while the database is away /health tells why, requests are answered 503, and all is well when it is back',
  options,
  async (t) => {
    const api = await startProduct(t, 'api', { env: { ...env, LOG_LEVEL: 'silent' } })
    assert.equal((await api.call('GET', '/health')).status, 200)
    await postgres.halt()
    const away = await api.call('GET', '/health')
    assert.deepEqual([away.status, away.body.error], [503, 'The database cannot be reached'])
    const refused = await api.call('GET', '/connections')
    assert.deepEqual([refused.status, refused.body.origin], [503, 'service'])
    const metrics = await api.call('GET', '/metrics')
    assert.equal(metrics.status, 200)
    await postgres.restart()
    assert.equal((await api.call('GET', '/health')).status, 200)
    assert.equal((await api.call('GET', '/connections')).status, 200)
  },
)

test('/metrics tells Prometheus of requests by route, and of schedules by state', options, async (t) => {
  const api = await startProduct(t, 'api', { env })
  await api.call('POST', '/sandbox/generate-sandbox/wms')
  const { headers, body } = await api.call('GET', '/metrics')
  assert.match(headers.get('content-type')!, /^text\/plain; version=0\.0\.4/)
  const route = 'method="POST",route="/sandbox/generate-sandbox/:integration_type",status="200"'
  assert.ok(body.includes(`crossdock_http_request_duration_seconds_count{${route}} 1`))
  assert.match(body, /^crossdock_schedules\{state="due"\} [1-9]/m)
})

test(
  'encryption keys are changed while all runs, and nothing of the old one is needed afterwards',
  options,
  async (t) => {
    const before = await startProduct(t, 'api', { env })
    const { connection_id, access_token } = (await before.call('POST', '/sandbox/generate-sandbox/wms')).body
    await before.call('POST', '/magic-links')
    await before.call('POST', '/webhook-endpoints', { body: { url: 'https://hooks.example/' } })

    const rotating = { ...common, ENCRYPTION_KEY: secondKey, ENCRYPTION_KEYS_OLD: firstKey }
    const both = await startProduct(t, 'api', { env: rotating })
    assert.equal(await tokenOf(both), access_token)
    const worker = runProduct(t, 'worker', { env: { ...rotating, LOG_LEVEL: 'info' } })
    await worker.says('values sealed anew')

    const late = await startProduct(t, 'api', { env: { ...common, ENCRYPTION_KEY: secondKey } })
    assert.equal(await tokenOf(late), access_token)
    assert.equal((await late.call('GET', '/magic-links')).status, 200)
    assert.equal((await late.call('GET', '/wms/orders', { token: access_token })).status, 200)

    // a sandbox made anew keeps its id and token, so it is opened and sealed with the current key
    async function tokenOf(api: typeof both) {
      const { body } = await api.call('POST', '/sandbox/generate-sandbox/wms')
      assert.equal(body.connection_id, connection_id)
      return body.access_token
    }
  },
)

test(
  'a start without a key that is needed says so, and tells no organization of faults that are not theirs',
  options,
  async (t) => {
    const [there] = await query('select count(*)::integer as count from connections')
    assert.ok(there!.count > 0)
    const ENCRYPTION_KEY = randomBytes(32).toString('base64')
    for (const role of ['api', 'worker']) {
      const product = runProduct(t, role, { env: { ...common, ENCRYPTION_KEY } })
      assert.equal(await product.exited, 1)
      assert.match(product.output(), /sealed with a key that is neither ENCRYPTION_KEY nor in ENCRYPTION_KEYS_OLD\n$/)
      assert.equal(product.output().trim().split('\n').length, 1)
    }
  },
)

test('a dump of the whole database holds no secret in clear', options, async (t) => {
  const current = { ...common, ENCRYPTION_KEY: secondKey }
  const api = await startProduct(t, 'api', { env: current })
  runProduct(t, 'worker', { env: current })
  const { token } = await syncedSandbox(api)
  await api.call('GET', '/wms/orders', { token })
  const created = await Promise.all([
    api.call('POST', '/api-keys', { body: { scope: 'read' } }),
    api.call('POST', '/link/token', { headers: { 'idempotency-key': 'once' } }),
    api.call('POST', '/magic-links', { headers: { 'idempotency-key': 'once more' } }),
    api.call('POST', '/webhook-endpoints', { body: { url: 'https://hooks.example/' } }),
  ])
  const secrets = [BOOTSTRAP_API_KEY, OPERATOR_KEY, firstKey, secondKey, token]
  secrets.push(created[0].body.api_key.key, created[1].body.link_token, created[2].body.magic_link.id)
  if (created[3].status === 200) secrets.push(created[3].body.webhook_endpoint.secret)
  const installed = await fetch(`${api.url}/link/install`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-service-link-token': created[1].body.link_token },
    body: JSON.stringify({ integration_name: 'sandbox', sandbox: true }),
  })
  const { auth_code } = (await installed.json()) as { auth_code: string }
  assert.match(auth_code, /^ac_/)
  secrets.push(auth_code)

  const dump = await dumpOf(DATABASE_URL)
  assert.ok(dump.includes('Sandbox Warehouse'))
  for (const secret of secrets) {
    assert.ok(secret.length >= 16)
    for (const form of formsOf(secret)) assert.ok(!dump.includes(form), `the dump holds ${form}`)
  }
})

test('a PostgreSQL that is too old is told by its version', () => {
  assert.throws(() => requireVersion(14), /PostgreSQL 14 is too old; 15 or later is needed/)
  assert.doesNotThrow(() => requireVersion(15))
})

async function refusedWithinASecond(call: () => Promise<{ status: number }>) {
  await eventually(async () => (await call()).status === 401, 1000)
}

async function query(text: string): Promise<Record<string, any>[]> {
  const client = new pg.Client(DATABASE_URL)
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}

/** Every row of every table, as pg_dump would write it. */
async function dumpOf(url: string): Promise<string> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    const tables = await client.query(
      `select format('%I.%I', schemaname, tablename) as name from pg_tables
       where schemaname not in ('pg_catalog', 'information_schema')`,
    )
    let dump = ''
    for (const { name } of tables.rows) {
      const { rows } = await client.query(`select each::text as row from ${name} each`)
      dump += rows.map(({ row }) => row).join('\n')
    }
    return dump
  } finally {
    await client.end()
  }
}

/** A secret as it is, in hex and in base64, with and without the prefix that names its kind. */
function formsOf(secret: string): string[] {
  return [secret, secret.replace(/^[a-z]+_/, '')].flatMap((text) => [
    text,
    Buffer.from(text).toString('hex'),
    Buffer.from(text).toString('base64').replace(/=+$/, ''),
    Buffer.from(text).toString('base64url'),
    Buffer.from(text, 'base64').toString('hex'),
  ])
}
