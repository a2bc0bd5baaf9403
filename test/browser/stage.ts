import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import type { BrowserContextOptions, FrameLocator, Page } from 'playwright-core'
import { startCrossdock } from '../../server/src/app.ts'
import { readConfig } from '../../server/src/config.ts'
import { startEmbeddedPostgres } from '../../server/src/db/embedded.ts'
import { openDatabase } from '../../server/src/db/open.ts'
import { temporaryFolder } from '../../server/src/db/temporary-folder.fixture.ts'
import { acmeIntegration, login, startAcme } from './acme.ts'
import { launchChromium } from './chromium.ts'
import { embeddingPage, startSite } from './site.ts'

export type Stage = Awaited<ReturnType<typeof startStage>>

/** A running Crossdock with a browser, an organization's site that embeds it, and a system to connect to. */
export async function startStage() {
  const [dataDir, acme] = await Promise.all([temporaryFolder('browser'), startAcme()])
  const postgres = await startEmbeddedPostgres({ dataDir })
  const apiKey = 'sk_of_the_browser_tests'
  const operatorKey = 'op_of_the_browser_tests'
  const config = readConfig({
    PORT: '0',
    DATA_DIR: dataDir,
    DATABASE_URL: postgres.url,
    ENCRYPTION_KEY: Buffer.alloc(32, 1).toString('base64'),
    OPERATOR_KEY: operatorKey,
    BOOTSTRAP_API_KEY: apiKey,
    ALLOW_PRIVATE_NETWORK: 'true',
    RATE_LIMIT_READ_PER_SECOND: '0',
    LOG_LEVEL: 'error',
  })
  const [crossdock, browser] = await Promise.all([
    startCrossdock(config, ['api', 'worker'], { integrations }),
    launchChromium(),
  ])
  const origin = crossdock.publicUrl
  const site = await startSite(origin, apiKey)
  const { db, close } = openDatabase(postgres.url, 2)

  const call = async <Body>(
    method: string,
    path: string,
    body?: object,
    headers: Record<string, string> = {},
  ): Promise<{ status: number; body: Body }> => {
    const answer = await fetch(origin + path, {
      method,
      headers: { 'x-service-api-key': apiKey, ...(body && { 'content-type': 'application/json' }), ...headers },
      ...(body && { body: JSON.stringify(body) }),
    })
    return { status: answer.status, body: (await answer.json()) as Body }
  }
  const open = async (url: string, options: BrowserContextOptions = {}): Promise<Page> => {
    const context = await browser.newContext({ viewport: { width: 1024, height: 800 }, ...options })
    const page = await context.newPage()
    page.setDefaultTimeout(10_000)
    await page.goto(url)
    return page
  }

  return {
    ...{ origin, site, acme, db, browser, call, open },
    /** How the operator dresses the page of every organization. */
    async brand(change: { brand_color?: string | null; brand_logo_url?: string | null }) {
      const operator = { 'x-service-operator-key': operatorKey }
      const { body } = await call<{ data: { id: string }[] }>('GET', '/operator/organizations', undefined, operator)
      for (const { id } of body.data) {
        const { status } = await call('PATCH', `/operator/organizations/${id}`, change, operator)
        assert.equal(status, 200)
      }
    },
    async magicLink(request: object = {}): Promise<{ id: string; url: string }> {
      const { body } = await call<{ magic_link: { id: string; url: string } }>('POST', '/magic-links', request)
      return body.magic_link
    },
    /** Opens a page of the site that embeds the script with this configuration, and presses its button. */
    async embed(
      config: object = {},
      options: BrowserContextOptions = {},
    ): Promise<{ page: Page; frame: FrameLocator }> {
      site.pages.set('/', { type: 'text/html', body: embeddingPage(origin, config) })
      const page = await open(`${site.origin}/`, options)
      await page.click('#connect')
      return { page, frame: page.frameLocator('dialog iframe') }
    },
    async stop() {
      await browser.close()
      await close()
      await crossdock.stop()
      site.stop()
      acme.stop()
      await postgres.stop()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

/** Markup that would tell on itself if a browser ever took it for more than text. */
export function markup(what: string): string {
  return `<img src="x" onerror="window.taken = '${what}'"><script>window.taken = '${what}'</script>`
}

/** Fills in the form of the system to connect to, and sends it. */
export async function signIn(
  page: Page | FrameLocator,
  typed: { address: string; user?: string; password?: string },
): Promise<void> {
  await page.getByRole('textbox', { name: 'Address of your system' }).fill(typed.address)
  await page.getByRole('textbox', { name: 'User name' }).fill(typed.user ?? login.user)
  await page.getByLabel('Password', { exact: true }).fill(typed.password ?? login.password)
  await page.getByRole('button', { name: /^(Connect|Reconnect)$/ }).click()
}

/** Waits until a page of the site was told what it waits for. */
export async function happened(page: Page, what: 'success' | 'close' | 'load'): Promise<string[]> {
  const found = await page.waitForFunction(`window.happened.find(([what]) => what === '${what}')`)
  return (await found.jsonValue()) as string[]
}

const integrations = [
  acmeIntegration('acme-wms', 'Acme WMS', { description: 'Warehouse management for growing brands' }),
  acmeIntegration('bolt-wms', 'Bolt Warehouse', {
    description: 'Pick, pack and ship from one place',
    functions: ['get_orders', 'get_products'],
  }),
  acmeIntegration('crate-wms', 'Crate & Co', {
    description: 'Third-party logistics in Europe',
    functions: ['get_orders'],
  }),
  acmeIntegration('hostile-erp', markup('name'), { type: 'erp', description: markup('description') }),
  acmeIntegration('drum-cart', 'Drum Shop', { type: 'cart', description: 'Online shops', functions: ['get_orders'] }),
]
