import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { type Site, startSite } from './site.ts'
import { happened, markup, type Stage, signIn, startStage } from './stage.ts'

let stage: Stage
let evil: Site
before(async () => {
  stage = await startStage()
  evil = await startSite(stage.origin, 'no key')
  evil.origin = evil.origin.replace('localhost', '127.0.0.1')
})
after(async () => {
  evil?.stop()
  await stage?.stop()
})

test('no other site can put the page of a magic link into a frame', async () => {
  const { url } = await stage.magicLink()
  assert.match(await framedBy(evil, url), /^chrome-error:/)
})

test('a frame made for one site shows itself in no other', async () => {
  const address = `${stage.origin}/link/frame?origin=${encodeURIComponent(stage.site.origin)}`
  assert.match(await framedBy(evil, address), /^chrome-error:/)
  assert.equal(await framedBy(stage.site, address), address)
})

test('an origin that is none gets no frame, whatever it carries', async () => {
  for (const origin of ['*', 'null', 'https:', "'self' *", `${evil.origin}/path`, `${evil.origin}; script-src *`, '']) {
    const answer = await fetch(`${stage.origin}/link/frame?${new URLSearchParams({ origin, ancestors: evil.origin })}`)
    assert.match(answer.headers.get('content-security-policy')!, /frame-ancestors 'none'$/)
  }
})

test('a success that another window tells of is not believed', async () => {
  const fake = { source: 'service-link', type: 'success', authCode: 'ac_evil', integrationName: 'evil' }
  evil.pages.set(
    '/teller',
    html(`<script>parent.postMessage(${JSON.stringify(fake)}, '*'); parent.postMessage('told', '*')</script>`),
  )
  const { page } = await stage.embed({ sandbox: true })
  const told = page.evaluate(
    "new Promise((resolve) => addEventListener('message', (event) => event.data === 'told' && resolve()))",
  )
  await page.evaluate(`{
    window.postMessage(${JSON.stringify(fake)}, '*')
    const teller = document.createElement('iframe')
    teller.src = '${evil.origin}/teller'
    document.body.append(teller)
  }`)
  await told
  assert.deepEqual(await page.evaluate("happened.filter(([what]) => what === 'success')"), [])
})

test('the page begins only when the page around it says so', async () => {
  const { link_token: token } = (await stage.call<{ link_token: string }>('POST', '/link/token')).body
  const start = { source: 'service-link', type: 'start', linkToken: token, settings: { sandbox: true } }
  evil.pages.set(
    '/starter',
    html(`<script>
      for (let at = 0; at < parent.frames.length; at++) parent.frames[at].postMessage(${JSON.stringify(start)}, '*')
      parent.postMessage('told', '*')
    </script>`),
  )
  const { page, frame } = await stage.embed({})
  await frame.getByRole('heading').waitFor()
  await page.evaluate('Service.close()')
  await page.evaluate(`{
    window.asked = new Promise((resolve) => {
      config.getLinkToken = () => (resolve(), new Promise((later) => (window.answer = later)))
    })
    Service.init(config)
    Service.open()
  }`)
  await page.evaluate('asked')
  await page.evaluate(`new Promise((resolve) => {
    addEventListener('message', (event) => event.data === 'told' && resolve())
    const starter = document.createElement('iframe')
    starter.src = '${evil.origin}/starter'
    document.body.append(starter)
  })`)
  await page.evaluate(`answer('${token}')`)
  await frame.getByRole('heading').waitFor()
  // the sandbox was in the other window's message alone
  assert.equal(await frame.getByRole('button', { name: /Sandbox/ }).count(), 0)
})

test('a link token goes to our own origin alone, even when the frame has been led elsewhere', async () => {
  evil.pages.set('/listener', html("<script>addEventListener('message', ({ data }) => (window.heard = data))</script>"))
  const { page, frame } = await stage.embed({})
  await frame.getByRole('heading').waitFor()
  await page.evaluate('Service.close()')
  await page.evaluate(`{
    window.asked = new Promise((resolve) => {
      config.getLinkToken = () => (resolve(), new Promise((later) => (window.answer = later)))
    })
    Service.init(config)
    Service.open()
  }`)
  await page.evaluate('asked')
  await page.evaluate(`new Promise((resolve) => {
    const frame = document.querySelector('dialog iframe')
    frame.addEventListener('load', resolve)
    frame.src = '${evil.origin}/listener'
  })`)
  await page.evaluate("answer('lt_secret')")
  await page.evaluate('new Promise((resolve) => setTimeout(resolve))')
  const listener = page.frames().find((each) => each.url() === `${evil.origin}/listener`)!
  assert.equal(await listener.evaluate('window.heard'), undefined)
})

for (const logo of [
  'javascript:window.taken = 1',
  `data:image/svg+xml,${encodeURIComponent('<svg xmlns="http://www.w3.org/2000/svg" onload="window.taken = 1"/>')}`,
  'http://insecure.example/logo.png',
  'not an address',
]) {
  test(`a logo like ${logo.slice(0, 24)} is not shown; the name stands there`, async () => {
    const { page, frame } = await stage.embed({ logo })
    await frame.locator('#brand', { hasText: 'default' }).waitFor()
    assert.equal(await frame.locator('img').count(), 0)
    await assertNothingTaken(page)
    await page.context().close()
  })
}

test('a drawing with a script in it is a picture and no more, and pictures come from nowhere else', async () => {
  const context = await stage.browser.newContext()
  const page = await context.newPage()
  const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="80" height="20"><script>top.taken = 1</script></svg>'
  await context.route('https://*.example/**', (route) => route.fulfill({ contentType: 'image/svg+xml', body: svg }))
  stage.site.pages.set(
    '/logo',
    html(`<script src="${stage.origin}/link.js"></script><script>
    Service.init({ logo: 'https://logo.example/logo.svg', getLinkToken: async () => (await fetch('link-token', { method: 'POST' })).text(), onSuccess() {} })
    Service.open()</script>`),
  )
  await page.goto(`${stage.site.origin}/logo`)
  const logo = page.frameLocator('dialog iframe').getByRole('img', { name: 'default' })
  await logo.waitFor()
  await assertNothingTaken(page)
  const frame = page.frames().find((each) => each.url().includes('/link/frame'))!
  const other = `new Promise((resolve) => Object.assign(new Image(), { onload: () => resolve('shown'), onerror: () => resolve('refused'), src: 'https://other.example/x.svg' }))`
  assert.equal(await frame.evaluate(other), 'refused')
})

test('script in a name, a description or an organization is text on every step', async () => {
  const organization = await stage.db.selectFrom('organizations').selectAll().executeTakeFirstOrThrow()
  await stage.db
    .updateTable('organizations')
    .set({ name: markup('organization') })
    .execute()
  const { page, frame } = await stage.embed({ integrationType: 'erp', integrationAllowList: [] })
  await frame.getByRole('heading', { name: `Connect ${markup('name')}` }).waitFor()
  await signIn(frame, { address: stage.acme.origin, password: 'wrong' })
  await frame.locator('.notice', { hasText: markup('name') }).waitFor()
  await signIn(frame, { address: stage.acme.origin })
  await frame.getByRole('heading', { name: `${markup('name')} is connected` }).waitFor()
  await frame.getByText(`${markup('organization')} now reads your data.`).waitFor()
  assert.equal((await happened(page, 'success'))[2], 'hostile-erp')
  await assertNothingTaken(page)
  await stage.db.updateTable('organizations').set({ name: organization.name }).execute()
})

test('markup in the search stays what was typed', async () => {
  const { url } = await stage.magicLink()
  const page = await stage.open(url)
  await page.getByRole('searchbox').fill(markup('search'))
  await page.getByText(`Nothing here is called “${markup('search')}”.`).waitFor()
  await assertNothingTaken(page)
})

test('a whole install asks no server but ours, and nothing typed is in any address', async () => {
  const { url } = await stage.magicLink({ integration_allow_list: ['acme-wms'] })
  const page = await stage.open('about:blank')
  const asked: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  await page.goto(url)
  await signIn(page, { address: stage.acme.origin })
  await page.getByText('4 of 4').waitFor()
  const foreign = asked.filter((address) => !address.startsWith(`${stage.origin}/`) && !address.startsWith('data:'))
  assert.deepEqual(foreign, [])
  assert.equal(
    asked.some((address) => /correct|dock/.test(address)),
    false,
  )
})

test('the pages run no script and no style that is not ours', async () => {
  const { url } = await stage.magicLink()
  for (const address of [url, `${stage.origin}/link/frame?origin=${stage.site.origin}`]) {
    const headers = (await fetch(address)).headers
    const policy = headers.get('content-security-policy')!
    for (const rule of [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "connect-src 'self'",
      "base-uri 'none'",
    ]) {
      assert.ok(policy.split('; ').includes(rule), rule)
    }
    assert.doesNotMatch(policy, /unsafe|\*/)
    assert.equal(headers.get('referrer-policy'), 'no-referrer')
    assert.equal(headers.get('x-content-type-options'), 'nosniff')
  }
  const page = await stage.open(url)
  await page.getByRole('searchbox').waitFor()
  await assert.rejects(page.evaluate("document.body.innerHTML = '<b>bold</b>'"), /TrustedHTML/)
  await assert.rejects(page.evaluate("document.body.setAttribute('onclick', 'window.taken = 1')"), /TrustedScript/)
  const refused = await page.evaluate(`new Promise((resolve) => {
    addEventListener('securitypolicyviolation', (event) => resolve(event.effectiveDirective))
    document.head.append(Object.assign(document.createElement('style'), { textContent: 'body { display: none }' }))
  })`)
  assert.equal(refused, 'style-src-elem')
  assert.equal(await page.getByRole('searchbox').isVisible(), true)
})

const html = (body: string) => ({ type: 'text/html', body: `<!doctype html><title>site</title>${body}` })

/** Where a frame ends up that a site leads to an address. */
async function framedBy(site: Site, address: string): Promise<string> {
  site.pages.set('/framing', html(`<iframe src="${address.replaceAll('&', '&amp;')}"></iframe>`))
  const page = await stage.open(`${site.origin}/framing`)
  const url = page.frames()[1]!.url()
  await page.context().close()
  return url
}

async function assertNothingTaken(page: Page) {
  for (const frame of page.frames()) assert.equal(await frame.evaluate('window.taken'), undefined)
}
