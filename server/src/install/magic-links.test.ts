import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { lockWaiters } from '../db/lock-waiters.fixture.ts'
import { hashSecret } from '../secrets.ts'
import { startInstallation } from './installation.fixture.ts'

let house: Awaited<ReturnType<typeof startInstallation>>
before(async () => {
  house = await startInstallation()
})
after(() => house.stop())
afterEach(() => {
  house.clock.aheadMs = 0
})

const dayMs = 86_400_000
const acme = () => ({
  integration_name: 'acme-wms',
  credentials: { base_url: house.acme.origin, password: 'correct horse battery' },
})

async function magicLink(body?: object) {
  const answer = await house.ours.post('/magic-links', body)
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return answer.body.magic_link
}

const countConnections = async () => (await house.db.selectFrom('connections').select('id').execute()).length

test('a magic link has every field, and defaults where nothing is asked for', async () => {
  const link = await magicLink()
  assert.match(link.id, /^[0-9a-f]{32}$/)
  assert.deepEqual(link, {
    id: link.id,
    url: `http://crossdock.test/link/${link.id}`,
    expires_at: link.expires_at,
    integration_type: 'wms',
    integration_allow_list: [],
    integration_block_list: [],
    integrations_with_endpoints: [],
    customer_id: null,
  })
  const days = (Date.parse(link.expires_at) - Date.now()) / dayMs
  assert.ok(days > 6.99 && days <= 7)
  assert.deepEqual((await house.ours.get(`/magic-links/${link.id}`)).body, { magic_link: link })
  const listed = (await house.ours.get('/magic-links')).body.magic_links
  assert.deepEqual(
    listed.find(({ id }: { id: string }) => id === link.id),
    link,
  )
})

test('an allow list stands alone; a block list and an endpoint filter go together', async () => {
  for (const other of [{ integration_block_list: ['bolt-wms'] }, { integrations_with_endpoints: ['get_orders'] }]) {
    const { status, body } = await house.ours.post('/magic-links', {
      integration_allow_list: ['acme-wms'],
      ...other,
      link_duration: 0,
    })
    assert.equal(status, 422)
    assert.deepEqual(Object.keys(body.detail.json).sort(), ['integration_allow_list', 'link_duration'])
  }
  const both = await magicLink({ integration_block_list: ['acme-wms'], integrations_with_endpoints: ['get_products'] })
  const { body } = await house.page(both.id).session()
  assert.deepEqual(
    body.integrations.map((each: { integration_name: string }) => each.integration_name),
    ['bolt-wms'],
  )
})

test('what a magic link cannot be made of is refused by name', async () => {
  const { status, body } = await house.ours.post('/magic-links', {
    integration_allow_list: ['acme-wms', 'nowhere'],
    disabled_functions: ['get_nothing'],
    enabled_functions: 'get_orders',
    link_duration: 366,
    integration_type: 'boat',
    customer_id: 5,
    surplus: true,
  })
  assert.equal(status, 422)
  assert.deepEqual(Object.keys(body.detail.json).sort(), [
    'customer_id',
    'disabled_functions',
    'enabled_functions',
    'integration_allow_list',
    'integration_type',
    'link_duration',
    'surplus',
  ])
  assert.deepEqual(Object.keys(body.detail.json.integration_allow_list), ['1'])
  const both = await house.ours.post('/magic-links', {
    integration_allow_list: ['none-such'],
    integration_block_list: ['core-wms'],
  })
  const { '0': unknown, _schema: combined } = both.body.detail.json.integration_allow_list
  assert.match(unknown[0], /^Must be one of: acme-wms/)
  assert.deepEqual(combined, ['Cannot be combined with integration_block_list.'])
  const id = crypto.randomUUID()
  const foreign = await house.ours.post('/magic-links', { connection_id: id })
  assert.deepEqual([foreign.status, foreign.body.id], [404, id])
  assert.equal((await house.ours.post('/magic-links', { connection_id: 'odd' })).status, 404)
})

test('links of another organization, unknown and deleted ones are the same 404', async () => {
  const { id } = await magicLink()
  const deleted = await magicLink()
  const gone = await house.ours.delete(`/magic-links/${deleted.id}`)
  assert.deepEqual(gone.body, { id: deleted.id, object: 'magic_link', deleted: true })
  for (const [who, path] of [
    [house.theirs, id],
    [house.ours, '0'.repeat(32)],
    [house.ours, deleted.id],
  ] as const) {
    for (const answer of [await who.get(`/magic-links/${path}`), await who.delete(`/magic-links/${path}`)]) {
      assert.deepEqual([answer.status, answer.body.id, answer.body.origin], [404, path, 'service'])
    }
  }
  assert.equal((await house.ours.get(`/magic-links/${id}`)).status, 200)
})

test('an expired, deleted and used link each says so to the page', async () => {
  const expired = await magicLink({ link_duration: 2 })
  house.clock.aheadMs = 2 * dayMs + 1000
  const late = await house.page(expired.id).session()
  assert.deepEqual([late.status, /expired/.test(late.body.error)], [410, true])
  assert.equal((await house.page(expired.id).install(acme())).status, 410)
  house.clock.aheadMs = 0
  assert.equal((await house.page(expired.id).session()).status, 200)

  const deleted = await magicLink()
  await house.ours.delete(`/magic-links/${deleted.id}`)
  const withdrawn = await house.page(deleted.id).session()
  assert.deepEqual([withdrawn.status, /withdrawn/.test(withdrawn.body.error)], [410, true])
  assert.equal((await house.page(deleted.id).install(acme())).status, 410)

  const used = await magicLink()
  assert.equal((await house.page(used.id).install(acme())).status, 200)
  const again = await house.page(used.id).session()
  assert.deepEqual([again.status, /already been used/.test(again.body.error)], [409, true])
  assert.equal((await house.page(used.id).progress()).status, 200)
})

test('two installs of one link at once make one connection', async () => {
  const { id } = await magicLink({ customer_id: 'customer-2' })
  const before = await countConnections()
  const answers = await Promise.all(Array.from({ length: 5 }, () => house.page(id).install(acme())))
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409, 409, 409, 409])
  assert.equal(await countConnections(), before + 1)
  const done = answers.find(({ status }) => status === 200)!
  assert.equal(done.body.auth_code, null)
  const { body } = await house.ours.get('/install-attempts?customer_id=customer-2')
  assert.deepEqual(
    body.data.map((each: { outcome: string; magic_link_id: string }) => [each.outcome, each.magic_link_id]),
    [['succeeded', id]],
  )
})

test('a sandbox is left as it is by an install whose link is withdrawn or used meanwhile', async (t) => {
  const install = async (id: string) => house.page(id).install({ integration_name: 'sandbox' })
  const sandboxLink = () => magicLink({ integration_allow_list: ['sandbox'] })
  assert.equal((await install((await sandboxLink()).id)).status, 200)
  const keys = () => house.db.selectFrom('sandbox_warehouses').select('key_hash').execute()
  const before = await keys()
  for (const [column, status] of [
    ['deleted_at', 410],
    ['used_at', 409],
  ] as const) {
    const { id } = await sandboxLink()
    const meanwhile = await house.db.startTransaction().execute()
    t.after(() => meanwhile.isCommitted || meanwhile.rollback().execute())
    await meanwhile
      .updateTable('magic_links')
      .set({ [column]: new Date() })
      .where('hash', '=', hashSecret(id))
      .execute()
    const answer = install(id)
    await lockWaiters(house.db)
    await meanwhile.commit().execute()
    assert.equal((await answer).status, status)
    assert.deepEqual(await keys(), before)
  }
})

test('a link stays good after a failed install', async () => {
  const { id } = await magicLink()
  const wrong = { ...acme(), credentials: { ...acme().credentials, password: 'wrong' } }
  assert.equal((await house.page(id).install(wrong)).status, 400)
  assert.equal((await house.page(id).install(acme())).status, 200)
})

test('the settings of a link hold, whatever the page sends', async () => {
  const { id } = await magicLink({ integration_allow_list: ['bolt-wms'] })
  const page = house.page(id)
  const open = { integration_allow_list: ['acme-wms'], integration_block_list: ['core-wms'], sandbox: true }
  assert.equal((await page.install({ ...acme(), ...open })).status, 403)
  assert.equal((await page.install({ integration_name: 'sandbox', ...open })).status, 403)
  assert.equal((await page.install({ integration_name: 'drum-cart', integration_type: 'cart' })).status, 403)
  const { body } = await page.session('?integration_type=cart&integration_allow_list=drum-cart&sandbox=true')
  assert.deepEqual(
    body.integrations.map((each: { integration_name: string }) => each.integration_name),
    ['bolt-wms'],
  )
})

test('an allow list may name the sandbox, which asks for nothing and is carried to its customer', async () => {
  const { id } = await magicLink({ integration_allow_list: ['sandbox'], customer_id: 'customer-3' })
  const { body } = await house.page(id).session()
  assert.deepEqual(
    body.integrations.map((each: { integration_name: string; fields: unknown[] }) => [
      each.integration_name,
      each.fields,
    ]),
    [['sandbox', []]],
  )
  assert.equal((await house.page(id).install({ integration_name: 'sandbox' })).status, 200)
  const made = await house.db
    .selectFrom('connections')
    .select('customer_id')
    .where('integration_name', '=', 'sandbox')
    .execute()
  assert.deepEqual(made, [{ customer_id: 'customer-3' }])
})

test('disabled functions are added, enabled ones win against the organization alone', async () => {
  const { id } = await magicLink({
    disabled_functions: ['get_products'],
    enabled_functions: ['get_bills', 'get_products'],
  })
  const page = house.page(id)
  const { body } = await page.session('?disabled_functions=get_orders')
  const shown = body.integrations.find((each: { integration_name: string }) => each.integration_name === 'acme-wms')
  assert.deepEqual([shown.reads.sort(), shown.writes], [['get_bills', 'get_orders'], []])
  assert.deepEqual(
    shown.fields.map((field: { key: string; kind: string; optional: boolean }) => [
      field.key,
      field.kind,
      field.optional,
    ]),
    [
      ['base_url', 'url', false],
      ['user', 'text', true],
      ['password', 'secret', false],
    ],
  )
  house.acme.state.asked.length = 0
  assert.equal((await page.install(acme())).status, 200)
  assert.deepEqual([...new Set(house.acme.state.asked)].sort(), ['/account', '/bills', '/orders'])
})

test('a reinstall by magic link keeps the connection', async () => {
  const made = await magicLink()
  await house.page(made.id).install(acme())
  const [connection] = await house.db
    .selectFrom('connections')
    .selectAll()
    .orderBy('created_at', 'desc')
    .limit(1)
    .execute()
  const before = await countConnections()
  const again = await magicLink({ connection_id: connection!.id })
  const { body } = await house.page(again.id).session()
  assert.deepEqual([body.mode, body.integrations.length], ['reinstall', 1])
  assert.equal((await house.page(again.id).install(acme())).status, 200)
  assert.equal(await countConnections(), before)
  const kept = await house.db.selectFrom('connections').selectAll().where('id', '=', connection!.id).executeTakeFirst()
  assert.deepEqual(kept!.token_hash, connection!.token_hash)
  assert.notDeepEqual(kept!.credentials_sealed, connection!.credentials_sealed)
})
