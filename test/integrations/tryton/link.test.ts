import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser, FrameLocator, Page } from 'playwright-core'
import { eventually } from '../../../server/src/eventually.fixture.ts'
import { launchChromium } from '../../browser/chromium.ts'
import { servePlainExample, serveReactExample } from '../../browser/examples.ts'
import { type Site, startSite } from '../../browser/site.ts'
import { type Connection, connectionOf, type Json, type Stage, startStage } from './connected.ts'
import { expectedOrders, expectedProducts } from './expected.ts'

let stage: Stage
let browser: Browser
let site: Site
/** Who may read all that is read here; the password is the one in force. */
let user: { login: string; password: string }

before(async () => {
  ;[stage, browser] = await Promise.all([startStage(), launchChromium()])
  const { crossdock, tryton } = stage
  site = await startSite(crossdock.url, crossdock.apiKey)
  user = { ...tryton.seeded.users.crossdock }
  await readOnly('get_orders', 'get_products', 'get_warehouses')
  await post('/webhook-endpoints', {
    url: `${site.origin}/webhook`,
    event_types: ['connection.created', 'connection-error.deleted'],
  })
})

after(async () => {
  await browser?.close()
  await stage?.stop()
  site?.stop()
})

for (const [what, serve, button, connected] of [
  ['the React example', serveReactExample, 'Connect WMS', 'Connected: tryton'],
  ['the plain example', servePlainExample, 'Connect', 'tryton is connected.'],
] as const) {
  test(`${what} connects Tryton: its server exchanges the code, and the data arrives`, async () => {
    await serve(site, stage.crossdock.url)
    const page = await open(`${site.origin}/`)
    await page.getByRole('button', { name: button, exact: true }).click()
    const frame = page.frameLocator('dialog iframe')
    await pickTryton(frame)
    await signIn(frame, user)
    await frame.getByRole('heading', { name: 'Tryton is connected' }).waitFor()
    await page.getByText(connected).waitFor()
    const { status, body } = site.exchanged.at(-1)!
    assert.deepEqual([status, body.integration_name], [200, 'tryton'])
    assert.deepEqual(body.me, { account_id: '1', account_name: 'Example Fulfilment' })
    await frame.getByText('3 of 3').waitFor()
    await assertData(connectionOf(stage.crossdock, String(body.connection_id), String(body.access_token)))
  })
}

test('a magic link connects Tryton: the access token comes by webhook, and the data arrives', async () => {
  const page = await open(await magicLink({ customer_id: 'by-link' }))
  await signIn(page, user)
  await page.getByRole('heading', { name: 'Tryton is connected' }).waitFor()
  await page.getByText('3 of 3').waitFor()
  const { connection_id, data } = await told('connection.created', (event) => event.customer_id === 'by-link')
  await assertData(connectionOf(stage.crossdock, connection_id, String(data.access_token)))
})

for (const [by, reinstall, newPassword] of [
  ['link token', reinstallByLinkToken, 'Another-7-password'],
  ['magic link', reinstallByMagicLink, 'Next-8-cloudy-word'],
] as const) {
  test(`when the password is changed in Tryton, a reinstall by ${by} keeps id, token and data, and resolves the error`, async () => {
    const connection = await stage.install(user)
    await connection.firstCrawls()
    const products = await connection.list('/wms/products')
    assert.equal(products.length, 1040)

    await changePassword(newPassword)
    // crawls that begin within seconds of each other share a login
    await eventually(async () => {
      await connection.sync('get_warehouses')
      return (await connection.detail()).errors.length > 0
    }, 60_000)
    const [error, ...more] = (await connection.detail()).errors
    assert.deepEqual(more, [])
    assert.match(error!.error_message, /user name or password/)
    assert.deepEqual(
      error!.affected_endpoints.toSorted((a, b) => a.endpoint.localeCompare(b.endpoint)),
      ['GET /wms/orders', 'GET /wms/products', 'GET /wms/warehouses'].map((endpoint) => ({
        endpoint,
        preventing_sync: true,
      })),
    )

    await reinstall(connection)
    assert.deepEqual((await connection.detail()).errors, [])
    const resolved = await told('connection-error.deleted', (event) => event.connection_id === connection.id)
    assert.equal(resolved.data.error_message, error!.error_message)
    assert.deepEqual(await connection.list('/wms/products'), products)
    await connection.sync()
    assert.deepEqual((await connection.detail()).errors, [])
    await assertData(connection)
  })
}

for (const [what, typed, summary, detail, step] of [
  [
    'a wrong password',
    () => ({ ...limited(), password: 'not-the-password' }),
    'Tryton does not accept these credentials',
    'Tryton refuses this user name or password',
    'log_in',
  ],
  [
    'a server that nobody reaches',
    () => ({ ...limited(), url: 'http://127.0.0.1:9' }),
    'Tryton cannot be reached at this address',
    'The connection was refused',
    'reach',
  ],
  [
    'a database that is not there',
    () => ({ ...limited(), database: 'nowhere' }),
    'Tryton rejected the request',
    'Tryton has no database of this name at this address',
    'recognize',
  ],
] as const) {
  test(`${what} is named as such on the page, and the attempt is listed`, async () => {
    const page = await open(await magicLink({ customer_id: what }))
    await signIn(page, typed())
    const notice = page.locator('.notice')
    await notice.getByText(summary, { exact: true }).waitFor()
    await notice.getByText(detail).waitFor()
    const attempt = await attemptOf(what)
    assert.deepEqual([attempt.outcome, attempt.step], ['failed', step])
    assert.ok(attempt.message.startsWith(`${summary} (`) && attempt.message.includes(detail), attempt.message)
  })
}

test('a user without stock permission is told what it may not read, and the attempt is listed with it', async () => {
  const page = await open(await magicLink({ customer_id: 'without stock' }))
  await signIn(page, limited())
  await page.getByRole('heading', { name: 'Tryton is connected' }).waitFor()
  await page.getByText('This sign-in may not read Orders').waitFor()
  assert.deepEqual(await page.locator('.endpoints li').allTextContents(), ['GET /wms/orders'])
  const attempt = await attemptOf('without stock')
  assert.deepEqual(
    [attempt.outcome, attempt.message],
    ['succeeded', 'Connected, but this login has no permission for GET /wms/orders'],
  )
})

async function reinstallByLinkToken(connection: Connection) {
  site.tokenRequest = { connection_id: connection.id }
  await servePlainExample(site, stage.crossdock.url)
  const page = await open(`${site.origin}/`)
  await page.getByRole('button', { name: 'Connect', exact: true }).click()
  const frame = page.frameLocator('dialog iframe')
  await frame.getByRole('heading', { name: 'Reconnect Tryton' }).waitFor()
  await signIn(frame, user)
  await page.getByText('tryton is connected.').waitFor()
  site.tokenRequest = {}
  const { status, body } = site.exchanged.at(-1)!
  assert.deepEqual([status, body.connection_id, body.access_token], [200, connection.id, connection.token])
}

async function reinstallByMagicLink(connection: Connection) {
  const page = await open(await magicLink({ connection_id: connection.id }))
  await page.getByRole('heading', { name: 'Reconnect Tryton' }).waitFor()
  await signIn(page, user)
  await page.getByRole('heading', { name: 'Tryton is connected' }).waitFor()
}

async function changePassword(password: string) {
  const { admin } = stage.tryton
  const [row] = await admin.searchRead('res.user', [['login', '=', user.login]], [])
  await admin.write('res.user', [row!.id], { password })
  user.password = password
}

async function pickTryton(on: FrameLocator) {
  await on.getByRole('button', { name: /^Tryton/ }).click()
  assert.deepEqual(await on.locator('.exchange').first().locator('li').allTextContents(), [
    'Orders',
    'Products',
    'Warehouses',
  ])
  await on.getByRole('button', { name: 'Continue' }).click()
}

async function signIn(
  on: Page | FrameLocator,
  typed: { url?: string; database?: string; login: string; password: string },
) {
  const { url = stage.tryton.url, database = stage.tryton.database, login, password } = typed
  for (const [field, value] of [
    ['Server address', url],
    ['Database', database],
    ['User name', login],
    ['Password', password],
  ] as const) {
    await on.getByLabel(field, { exact: true }).fill(value)
  }
  await on.getByRole('button', { name: /^(Connect|Reconnect)$/ }).click()
}

/** What is read is all that Tryton has, told by its own client. */
async function assertData(connection: Connection) {
  const { admin } = stage.tryton
  const ids = async (path: string) => (await connection.list(path)).map(({ id }) => id).sort()
  const expected = (records: { id: string }[]) => records.map(({ id }) => id).sort()
  assert.deepEqual(await ids('/wms/orders'), expected(await expectedOrders(admin)))
  assert.deepEqual(await ids('/wms/products'), expected(await expectedProducts(admin)))
  assert.equal((await ids('/wms/warehouses')).length, 3)
}

/** Switches every other function off for the organization: the rest is proved elsewhere, and takes its time. */
async function readOnly(...functions: string[]) {
  const headers = { 'x-service-operator-key': stage.crossdock.operatorKey }
  const { data } = (await stage.crossdock.call('GET', '/operator/organizations', { headers })).body
  const { body } = await stage.crossdock.call('GET', '/integrations/wms/tryton')
  const wms = body.data[0].available_actions.filter((name: string) => !functions.includes(name))
  const changed = await stage.crossdock.call('PATCH', `/operator/organizations/${data[0].id}`, {
    headers,
    body: { disabled_functions: { wms } },
  })
  assert.equal(changed.status, 200, JSON.stringify(changed.body))
}

async function magicLink(request: object): Promise<string> {
  return (await post('/magic-links', { ...request, integration_allow_list: ['tryton'] })).magic_link.url
}

async function attemptOf(customer: string) {
  const { body } = await stage.crossdock.call('GET', `/install-attempts?customer_id=${encodeURIComponent(customer)}`)
  assert.equal(body.data.length, 1)
  return body.data[0]
}

const told = (type: string, isMeant: (event: Json) => boolean) =>
  eventually(async () => site.told.find((event) => event.event_type === type && isMeant(event)))

async function post(path: string, body: object): Promise<Json> {
  const answer = await stage.crossdock.call('POST', path, { body })
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return answer.body
}

async function open(url: string): Promise<Page> {
  const page = await browser.newPage()
  page.setDefaultTimeout(60_000)
  await page.goto(url)
  return page
}

const limited = () => stage.tryton.seeded.users.limited
