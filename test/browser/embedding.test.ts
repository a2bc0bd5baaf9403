import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import type { Page } from 'playwright-core'
import { servePlainExample } from './examples.ts'
import { happened, type Stage, signIn, startStage } from './stage.ts'

let stage: Stage
before(async () => {
  stage = await startStage()
})
after(() => stage?.stop())

test('a plain page connects the sandbox, its server exchanges the code, and the data is there', async () => {
  await servePlainExample(stage.site, stage.origin)
  const page = await stage.open(`${stage.site.origin}/`)
  await page.getByRole('button', { name: 'Connect' }).click()
  const frame = page.frameLocator('dialog iframe')
  await frame.getByRole('button', { name: /Sandbox/ }).click()
  await frame.getByRole('button', { name: 'Connect' }).click()
  await frame.getByRole('heading', { name: 'WMS Sandbox is connected' }).waitFor()
  await frame.getByText('12 of 12').waitFor({ timeout: 30_000 })
  await frame.getByRole('button', { name: 'Done' }).click()
  await page.getByText('sandbox is connected.').waitFor()
  await page.locator('dialog').waitFor({ state: 'detached' })

  const [exchange] = stage.site.exchanged
  assert.equal(exchange!.status, 200)
  const headers = { 'x-service-access-token': String(exchange!.body.access_token) }
  const { status, body } = await stage.call<{ data: unknown[] }>('GET', '/wms/orders?limit=5', undefined, headers)
  assert.deepEqual([status, body.data.length], [200, 5])
})

test('a component gets a code that is good once', async () => {
  const { page, frame } = await stage.embed({ integrationAllowList: ['acme-wms'] })
  await signIn(frame, { address: stage.acme.origin })
  const [, authCode, name] = await happened(page, 'success')
  assert.equal(name, 'acme-wms')
  const exchange = () => stage.call('POST', '/link/exchange', { auth_code: authCode })
  assert.deepEqual([(await exchange()).status, (await exchange()).status], [200, 400])
})

test('a reinstall by link token leads straight to the form and keeps the connection', async () => {
  stage.site.tokenRequest = { customer_id: 'embedded' }
  const first = await stage.embed({ integrationAllowList: ['acme-wms'] })
  await signIn(first.frame, { address: stage.acme.origin })
  const [, code] = await happened(first.page, 'success')
  const exchanged = (auth_code: string) =>
    stage.call<{ connection_id: string; access_token: string }>('POST', '/link/exchange', { auth_code })
  const before = (await exchanged(code!)).body

  stage.site.tokenRequest = { connection_id: before.connection_id }
  const again = await stage.embed({ integrationBlockList: ['acme-wms'] })
  await again.frame.getByRole('heading', { name: 'Reconnect Acme WMS' }).waitFor()
  await signIn(again.frame, { address: stage.acme.origin })
  const [, newCode] = await happened(again.page, 'success')
  const { connection_id, access_token } = (await exchanged(newCode!)).body
  assert.deepEqual([connection_id, access_token], [before.connection_id, before.access_token])
  stage.site.tokenRequest = {}
})

test('an expired link token is told as such, and one press begins anew', async () => {
  const { page, frame } = await stage.embed({ integrationAllowList: ['acme-wms'] })
  await frame.getByRole('heading', { name: 'Connect Acme WMS' }).waitFor()
  await stage.db
    .updateTable('link_tokens')
    .set({ expires_at: new Date(Date.now() - 1000) })
    .execute()
  await signIn(frame, { address: stage.acme.origin })
  await frame.getByRole('heading', { name: 'This window has been open too long' }).waitFor()
  await frame.getByRole('button', { name: 'Try again' }).click()
  await signIn(frame, { address: stage.acme.origin })
  await happened(page, 'success')
})

test('a page that cannot get a link token says so, and a later try succeeds', async () => {
  const { page } = await stage.embed({})
  await page.evaluate(`{
    Service.close()
    window.good = config.getLinkToken
    config.getLinkToken = () => Promise.reject(new Error('no server'))
    Service.init(config)
    Service.open()
  }`)
  const frame = page.frameLocator('dialog iframe')
  await frame.getByRole('heading', { name: 'This could not be started' }).waitFor()
  await page.evaluate('config.getLinkToken = good')
  await frame.getByRole('button', { name: 'Try again' }).click()
  await frame.getByRole('searchbox').waitFor()
})

test('the life of an instance: not loaded, loaded once, opened, closed, opened again', async () => {
  const { page, frame } = await stage.embed({})
  await frame.getByRole('searchbox').waitFor()
  assert.equal(await page.evaluate('Service.state.isLoaded'), true)
  await page.evaluate('Service.init(config); Service.open()')
  assert.equal(await page.locator('dialog').count(), 1)
  await frame.getByRole('button', { name: 'Close' }).click()
  await happened(page, 'close')
  assert.equal(await page.locator('dialog').count(), 0)
  await page.evaluate('Service.close(); Service.open(); Service.close(); Service.open()')
  await frame.getByRole('searchbox').waitFor()
  assert.deepEqual(await page.evaluate('happened'), [['load'], ['close'], ['close']])
})

test('before init an instance is not loaded and does not open', async () => {
  stage.site.pages.set('/bare', {
    type: 'text/html',
    body: `<!doctype html><script src="${stage.origin}/link.js"></script>`,
  })
  const page = await stage.open(`${stage.site.origin}/bare`)
  assert.equal(await page.evaluate('Service.state.isLoaded'), false)
  await page.evaluate('Service.open()')
  assert.equal(await page.locator('dialog').count(), 0)
})

test('the script takes one name of the page, may be loaded twice, and lets the page use its own words', async () => {
  const script = `<script src="${stage.origin}/link.js"></script>`
  const names = 'Object.getOwnPropertyNames(window)'
  stage.site.pages.set('/twice', {
    type: 'text/html',
    body: `<!doctype html><script>window.failures = []; addEventListener('error', ({ message }) => failures.push(message))</script>
<script>window.before = ${names}</script>${script}<script>window.first = Service</script>${script}`,
  })
  const twice = await stage.open(`${stage.site.origin}/twice`)
  assert.deepEqual(await twice.evaluate(`${names}.filter((name) => !before.includes(name))`), [
    'before',
    'Service',
    'first',
  ])
  assert.deepEqual(await twice.evaluate('[failures, first === Service]'), [[], true])

  stage.site.pages.set('/words', {
    type: 'text/html',
    body: `<!doctype html><script>const frameStyle = 'own', dialogStyle = 'own', global = 'own', base = 'own'</script>${script}`,
  })
  const words = await stage.open(`${stage.site.origin}/words`)
  assert.deepEqual(await words.evaluate('[typeof Service.init, frameStyle, dialogStyle, global, base]'), [
    'function',
    ...['own', 'own', 'own', 'own'],
  ])
})

test('a configuration that the server refuses is told as such', async () => {
  const { frame } = await stage.embed({ disabledFunctions: ['get_everything'] })
  await frame.getByRole('heading', { name: 'This is not set up correctly' }).waitFor()
})

test('a site that stands in a frame itself can embed the window too', async () => {
  const { page } = await stage.embed({})
  await page.context().close()
  const body = `<!doctype html><iframe src="${stage.site.origin}/" width="800" height="700"></iframe>`
  stage.site.pages.set('/around', { type: 'text/html', body })
  const around = await stage.open(`${stage.site.origin.replace('localhost', '127.0.0.1')}/around`)
  const site = around.frameLocator('iframe')
  await site.getByRole('button', { name: 'Connect' }).click()
  await site.frameLocator('dialog iframe').getByRole('searchbox').waitFor()
})

test('several buttons have a configuration each', async () => {
  const { page, frame } = await stage.embed({ buttonId: 'First', integrationAllowList: ['acme-wms'] })
  await frame.getByRole('heading', { name: 'Connect Acme WMS' }).waitFor()
  await page.evaluate(`{
    ServiceFirst.close()
    Service.init({ ...config, buttonId: 'Second', integrationAllowList: ['crate-wms'] })
    ServiceSecond.open()
  }`)
  await frame.getByRole('heading', { name: 'Connect Crate & Co' }).waitFor()
  assert.equal(await page.evaluate('Service.state.isLoaded'), false)
})

test('the script weighs at most 5 kB, is kept by browsers, and comes again only when it changed', async () => {
  const answer = await fetch(`${stage.origin}/link.js`)
  assert.match(answer.headers.get('content-type')!, /^text\/javascript/)
  assert.ok(gzipSync(await answer.text()).length <= 5 * 1024)
  const etag = answer.headers.get('etag')!
  const again = await fetch(`${stage.origin}/link.js`, { headers: { 'if-none-match': etag } })
  assert.equal(again.status, 304)
  const page = await (await fetch(`${stage.origin}/link/frame`)).text()
  const [, asset] = /src="(assets\/[^"]+)"/.exec(page)!
  const { headers } = await fetch(`${stage.origin}/link/${asset}`)
  assert.match(headers.get('cache-control')!, /immutable/)
  await assertUnknown('/link/assets/x/embed.ts', '/link/assets/x/..%2F..%2Fpackage.json', '/link/assets/x/none.js')
})

test('other names under /link belong to the API: a wrong method is told as such', async () => {
  for (const name of ['token', 'exchange', 'install']) {
    const answer = await fetch(`${stage.origin}/link/${name}`)
    assert.deepEqual([answer.status, answer.headers.get('allow')], [405, 'POST'])
  }
  assert.equal((await fetch(`${stage.origin}/link/nothing`)).status, 404)
})

async function assertUnknown(...paths: string[]) {
  for (const path of paths) assert.equal((await fetch(stage.origin + path)).status, 404, path)
}

test('the window fills a phone and is a card on a desktop', async () => {
  const sizeOf = async (page: Page) => (await page.locator('dialog iframe').boundingBox())!
  const phone = await stage.embed({}, { viewport: { width: 375, height: 740 } })
  assert.deepEqual(await sizeOf(phone.page), { x: 0, y: 0, width: 375, height: 740 })
  const desktop = await stage.embed({}, { viewport: { width: 1280, height: 900 } })
  assert.deepEqual(await sizeOf(desktop.page), { x: 400, y: 98, width: 480, height: 704 })
})
