import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { dump, startInstallation } from './installation.fixture.ts'

let house: Awaited<ReturnType<typeof startInstallation>>
before(async () => {
  house = await startInstallation()
})
after(() => house.stop())
afterEach(() => {
  house.clock.aheadMs = 0
  house.acme.state.forbidden.clear()
  house.acme.state.password = correct
})

const correct = 'correct horse battery'
const hourMs = 3_600_000

const form = (more: Record<string, unknown> = {}) => ({ base_url: house.acme.origin, password: correct, ...more })

async function linkToken(body?: object): Promise<string> {
  return (await house.ours.post('/link/token', body)).body.link_token
}

async function installAcme(token?: string): Promise<{ auth_code: string; missing_permissions: unknown[] }> {
  const installed = await house.page(token ?? (await linkToken())).install({
    integration_name: 'acme-wms',
    credentials: form(),
  })
  assert.equal(installed.status, 200, JSON.stringify(installed.body))
  return installed.body
}

test('an install gives an auth code, and its exchange the access token and all that the organization needs', async () => {
  const token = await linkToken({ customer_id: 'customer-1' })
  assert.match(token, /^lt_/)
  const { auth_code, missing_permissions } = await installAcme(token)
  assert.match(auth_code, /^ac_/)
  assert.deepEqual(missing_permissions, [])
  const { status, body } = await house.ours.post('/link/exchange', { auth_code })
  assert.equal(status, 200)
  assert.match(body.access_token, /^at_/)
  assert.deepEqual(body, {
    access_token: body.access_token,
    connection_id: body.connection_id,
    integration_name: 'acme-wms',
    customer_id: 'customer-1',
    // bills are off unless an organization switches them on
    available_actions: ['get_orders', 'get_products'],
    me: { account_id: 'A-1', account_name: 'Acme North' },
  })
})

test('a link token needs no body, and is good for several installs until four hours are over', async () => {
  const token = await linkToken()
  const page = house.page(token)
  await installAcme(token)
  await installAcme(token)
  house.clock.aheadMs = 4 * hourMs - 60_000
  assert.equal((await page.session()).status, 200)
  house.clock.aheadMs = 4 * hourMs + 60_000
  const { status, body } = await page.session()
  assert.deepEqual([status, body.origin], [410, 'service'])
  assert.match(body.error, /expired/)
  assert.equal((await page.install({ integration_name: 'acme-wms', credentials: form() })).status, 410)
})

test('a customer id given at the exchange replaces the one of the link token', async () => {
  const { auth_code } = await installAcme(await linkToken({ customer_id: 'before' }))
  const { body } = await house.ours.post('/link/exchange', { auth_code, customer_id: 'after' })
  assert.equal(body.customer_id, 'after')
})

test('an auth code is refused when it is wrong, used, expired or of another organization', async () => {
  const { auth_code } = await installAcme()
  const exchange = (who: typeof house.ours, code: string) => who.post('/link/exchange', { auth_code: code })
  assert.equal((await exchange(house.theirs, auth_code)).status, 400)
  assert.equal((await exchange(house.ours, 'ac_wrong')).status, 400)
  const both = await Promise.all([exchange(house.ours, auth_code), exchange(house.ours, auth_code)])
  assert.deepEqual(both.map(({ status }) => status).sort(), [200, 400])
  const late = await installAcme()
  house.clock.aheadMs = 31 * 60_000
  const { status, body } = await exchange(house.ours, late.auth_code)
  assert.deepEqual([status, Object.keys(body), body.origin], [400, ['error', 'origin'], 'service'])
  house.clock.aheadMs = 29 * 60_000
  assert.equal((await exchange(house.ours, late.auth_code)).status, 200)
  assert.equal((await house.ours.post('/link/exchange', {})).status, 422)
})

test('a reinstall keeps id and token, goes straight to its integration and offers no other', async () => {
  const first = (await house.ours.post('/link/exchange', { auth_code: (await installAcme()).auth_code })).body
  house.acme.state.password = 'a new password'
  const page = house.page(await linkToken({ connection_id: first.connection_id }))
  const { body: session } = await page.session('?integration_block_list=acme-wms')
  assert.equal(session.mode, 'reinstall')
  assert.deepEqual(namesOf(session), ['acme-wms'])
  assert.equal((await page.install({ integration_name: 'bolt-wms', credentials: form() })).status, 403)
  const again = await page.install({ integration_name: 'acme-wms', credentials: form({ password: 'a new password' }) })
  assert.equal(again.status, 200)
  const second = (await house.ours.post('/link/exchange', { auth_code: again.body.auth_code })).body
  assert.equal(second.connection_id, first.connection_id)
  assert.equal(second.access_token, first.access_token)
  const { status, body } = await house.theirs.post('/link/token', { connection_id: first.connection_id })
  assert.deepEqual([status, body.id], [404, first.connection_id])
})

test('a connection id that names nothing, an empty one too, is 404 with it; null is none', async () => {
  for (const connection_id of ['', 'odd', '00000000-0000-4000-8000-000000000000']) {
    for (const path of ['/link/token', '/magic-links']) {
      const { status, body } = await house.ours.post(path, { connection_id })
      assert.deepEqual([status, body.id, body.error], [404, connection_id, 'Connection not found'], path)
    }
  }
  for (const path of ['/link/token', '/magic-links']) {
    assert.equal((await house.ours.post(path, { connection_id: null })).status, 200)
  }
})

test('the page says exactly what is wrong and repeats nothing that was typed', async () => {
  const token = await linkToken({ customer_id: 'customer-9' })
  const page = house.page(token)
  const attempt = (credentials: object) => page.install({ integration_name: 'acme-wms', credentials })
  const wrong = await attempt(form({ password: 'typed by mistake' }))
  assert.deepEqual(
    [wrong.status, wrong.body.origin, wrong.body.step, wrong.body.error],
    [
      400,
      'integration',
      'log_in',
      'Acme WMS does not accept these credentials (The system answered 401 Unauthorized: Wrong password ***)',
    ],
  )
  const short = await attempt(form({ password: 'abc' }))
  assert.equal(short.body.error, 'Acme WMS does not accept these credentials')
  const nowhere = await attempt(form({ base_url: 'http://127.0.0.1:9' }))
  assert.deepEqual([nowhere.status, nowhere.body.step], [502, 'reach'])
  assert.match(nowhere.body.error, /cannot be reached/)
  const foreign = await attempt(form({ base_url: `${house.acme.origin}/shop` }))
  assert.deepEqual([foreign.status, foreign.body.step], [400, 'recognize'])
  assert.match(foreign.body.error, /What answers at this address is not Acme WMS/)
  const silent = await attempt(form({ base_url: `${house.acme.origin}/silent` }))
  assert.deepEqual([silent.status, silent.body.origin, silent.body.step], [504, 'integration', 'reach'])
  assert.match(silent.body.error, /did not answer in time/)

  const { body } = await house.ours.get('/install-attempts?customer_id=customer-9&outcome=failed')
  assert.equal(body.total_count, 5)
  assert.deepEqual(
    [body.data.at(-1).step, body.data.at(-1).message, body.data.at(-1).integration_name],
    ['log_in', wrong.body.error, 'acme-wms'],
  )
  assert.equal((await house.theirs.get('/install-attempts')).body.total_count, 0)
})

test('a failed install is told with the event install.failed', async () => {
  await house.page(await linkToken({ customer_id: 'customer-8' })).install({
    integration_name: 'bolt-wms',
    credentials: form({ password: 'no' }),
  })
  const events = await house.db
    .selectFrom('webhook_events')
    .select(['payload', 'connection_id'])
    .where('event_type', '=', 'install.failed')
    .execute()
  const told = events.find(({ payload }) => JSON.parse(payload).customer_id === 'customer-8')
  assert.equal(told?.connection_id, null)
  const { event_type, integration_name, data } = JSON.parse(told!.payload)
  assert.deepEqual([event_type, integration_name, data.step], ['install.failed', 'bolt-wms', 'log_in'])
})

test('install attempts are listed by page, newest first, by integration and outcome', async () => {
  const { body: all } = await house.ours.get('/install-attempts?limit=1000')
  const first = (await house.ours.get('/install-attempts?limit=2')).body
  const second = (await house.ours.get(`/install-attempts?limit=2&page_token=${first.next_token}`)).body
  assert.deepEqual([...first.data, ...second.data], all.data.slice(0, 4))
  const { body } = await house.ours.get('/install-attempts?integration_name=bolt-wms&outcome=failed')
  assert.ok(body.data.length > 0)
  assert.ok(body.data.every((each: { integration_name: string }) => each.integration_name === 'bolt-wms'))
  assert.equal((await house.ours.get('/install-attempts?page_token=x')).status, 422)
  assert.equal((await house.ours.get('/install-attempts?outcome=maybe')).status, 422)
})

test('the form is checked field by field before anything is asked of the system', async () => {
  const asked = house.acme.state.asked.length
  const page = house.page(await linkToken())
  const { status, body } = await page.install({
    integration_name: 'acme-wms',
    credentials: { base_url: 'ftp://files', user: 7, surplus: 'x' },
  })
  assert.equal(status, 422)
  assert.deepEqual(Object.keys(body.detail.json.credentials).sort(), ['base_url', 'password', 'surplus', 'user'])
  assert.equal(house.acme.state.asked.length, asked)
})

test('missing permissions are named per endpoint and do not stop the install; disabled functions are not asked', async () => {
  house.acme.state.forbidden.add('/products').add('/orders')
  house.acme.state.asked.length = 0
  const { status, body } = await house.page(await linkToken({ customer_id: 'customer-7' })).install({
    integration_name: 'acme-wms',
    credentials: form(),
    disabled_functions: ['get_orders'],
  })
  assert.equal(status, 200)
  assert.deepEqual(body.missing_permissions, [{ function_name: 'get_products', endpoint: 'GET /wms/products' }])
  assert.ok(!house.acme.state.asked.includes('/orders'))
  const { body: attempts } = await house.ours.get('/install-attempts?customer_id=customer-7')
  const told = attempts.data.map((each: { outcome: string; message: string }) => [each.outcome, each.message])
  assert.deepEqual(told, [['succeeded', 'Connected, but this login has no permission for GET /wms/products']])
  const { body: result } = await house.ours.post('/link/exchange', { auth_code: body.auth_code })
  assert.ok(!result.available_actions.includes('get_orders'))
})

test('nothing typed and no secret handed out is found in the database or the log', async () => {
  const typed = 'Xq7-typed-by-a-customer'
  house.acme.state.password = typed
  const page = house.page(await linkToken())
  const good = await page.install({ integration_name: 'acme-wms', credentials: form({ password: typed }) })
  assert.equal(good.status, 200)
  house.acme.state.password = correct
  assert.equal(
    (await page.install({ integration_name: 'acme-wms', credentials: form({ password: typed }) })).status,
    400,
  )
  const broken = await page.install({
    integration_name: 'acme-wms',
    credentials: form({ password: typed, user: 'breaks the integration' }),
  })
  assert.equal(broken.status, 500)
  const { access_token } = (await house.ours.post('/link/exchange', { auth_code: good.body.auth_code })).body
  const magic = (await house.ours.post('/magic-links')).body.magic_link.id
  const token = await linkToken()
  const kept = (await dump(house.db)) + house.logged.join('')
  assert.ok(house.logged.some((line) => line.includes('while installing')))
  for (const secret of [typed, access_token, magic, token, good.body.auth_code]) {
    assert.ok(!kept.includes(secret), secret)
    assert.ok(!kept.includes(Buffer.from(secret).toString('hex')), secret)
  }
})

test('tries are throttled by link, and by address over all links', async () => {
  const token = await linkToken()
  const page = house.page(token)
  const attempt = () => page.install({ integration_name: 'acme-wms', credentials: {} })
  for (let count = 0; count < 10; count++) assert.equal((await attempt()).status, 422)
  const { status, headers, body } = await attempt()
  assert.deepEqual([status, body.origin], [429, 'service'])
  assert.ok(Number(headers['retry-after']) > 0 && Number(headers['retry-after']) <= 60)
  assert.equal((await house.page(token).install({ integration_name: 'acme-wms', credentials: {} })).status, 429)
  assert.equal((await page.session()).status, 200)

  const statuses: number[] = []
  for (let link = 0; link < 4; link++) {
    const another = house.page(await linkToken(), '10.9.9.9')
    for (let count = 0; count < 9; count++) {
      statuses.push((await another.install({ integration_name: 'acme-wms', credentials: {} })).status)
    }
  }
  assert.deepEqual(statuses, [...Array(30).fill(422), ...Array(6).fill(429)])
})

test('a page without a link, or with an unknown one, is refused', async () => {
  for (const opener of ['', 'lt_unknown', '0'.repeat(32), 'sk_something']) {
    assert.equal((await house.page(opener).session()).status, 401)
    assert.equal((await house.page(opener).install({ integration_name: 'acme-wms' })).status, 401)
  }
})

test('the first sync is told per function, of what this link installed', async () => {
  const token = await linkToken()
  const page = house.page(token)
  assert.equal((await page.progress()).status, 409)
  await installAcme(token)
  const before = (await page.progress()).body
  assert.equal(before.completed, false)
  assert.ok(before.functions.some((each: { function_name: string }) => each.function_name === 'get_orders'))
  await house.db.updateTable('schedules').set({ first_synced_at: new Date() }).execute()
  assert.equal((await page.progress()).body.completed, true)
})

test('the component narrows what is offered, and a page that asks for another by hand is refused', async () => {
  const page = house.page(await linkToken())
  const offers = async (query: string) => namesOf((await page.session(query)).body)
  assert.deepEqual(await offers(''), ['acme-wms', 'bolt-wms', 'core-wms'])
  assert.deepEqual(await offers('?integration_allow_list=core-wms&sandbox=true'), ['core-wms', 'sandbox'])
  assert.deepEqual(await offers('?integration_type=cart'), ['drum-cart'])
  assert.deepEqual(await offers('?integration_block_list=core-wms&integrations_with_endpoints=get_products'), [
    'acme-wms',
    'bolt-wms',
  ])
  assert.deepEqual(await offers('?integration_allow_list=core-wms&integration_block_list=core-wms'), [
    'acme-wms',
    'bolt-wms',
    'core-wms',
  ])
  const { status, body } = await page.session('?disabled_functions=get_nothing&colour=red')
  assert.deepEqual([status, Object.keys(body.detail.query).sort()], [422, ['colour', 'disabled_functions']])
  const narrowed = { integration_name: 'acme-wms', credentials: form() }
  for (const narrowing of [
    { integration_allow_list: ['core-wms'] },
    { integration_block_list: ['acme-wms'] },
    { integrations_with_endpoints: ['get_returns'] },
    { integration_type: 'cart' },
  ]) {
    const refused = await page.install({ ...narrowed, ...narrowing })
    assert.deepEqual([refused.status, refused.body.origin], [403, 'service'])
  }
})

test('functions of a connection are switched off and on, and unknown ones refused', async () => {
  const { auth_code } = await installAcme()
  const { access_token, connection_id } = (await house.ours.post('/link/exchange', { auth_code })).body
  const patch = (body: object) => house.ours.patch('/schedules/disabled-functions', access_token, body)
  const scheduled = async () =>
    (
      await house.db
        .selectFrom('schedules')
        .select('function_name')
        .where('connection_id', '=', connection_id)
        .where('disabled', '=', false)
        .orderBy('function_name')
        .execute()
    ).map((row) => row.function_name)
  const { status, body } = await patch({
    disabled_functions: ['get_orders', 'create_order'],
    enabled_functions: ['get_bills'],
  })
  assert.deepEqual([status, body], [200, { id: connection_id, object: 'connection', updated: true }])
  assert.deepEqual(await scheduled(), ['get_bills', 'get_products'])
  await patch({ disabled_functions: [] })
  assert.deepEqual(await scheduled(), ['get_bills', 'get_orders', 'get_products'])
  const refused = await patch({ disabled_functions: ['get_orders', 'get_nothing'] })
  assert.equal(refused.status, 422)
  assert.deepEqual(Object.keys(refused.body.detail.json.disabled_functions), ['1'])
})

test('the sandbox needs no form and is the one of the organization, whoever installs it', async () => {
  const token = await linkToken()
  const wanted = { integration_name: 'sandbox', sandbox: true }
  const exchange = async (answer: { body: { auth_code: string } }) =>
    (await house.ours.post('/link/exchange', { auth_code: answer.body.auth_code })).body
  const first = await exchange(await house.page(token).install(wanted))
  const second = await exchange(await house.page(token).install(wanted))
  assert.equal(first.connection_id, second.connection_id)
  assert.equal(first.access_token, second.access_token)
  assert.equal((await house.page(token).install({ integration_name: 'sandbox' })).status, 403)
})

const namesOf = (session: { integrations: { integration_name: string }[] }) =>
  session.integrations.map((integration) => integration.integration_name)
