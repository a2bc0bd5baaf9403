import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { FrameLocator, Page } from 'playwright-core'
import { type Stage, startStage } from './stage.ts'

const all = ['Acme WMS', 'Bolt Warehouse', 'Crate & Co']

let stage: Stage
before(async () => {
  stage = await startStage()
})
after(() => stage?.stop())

const configured: [string, object, string[]][] = [
  ['nothing', {}, all],
  ['the sandbox', { sandbox: true }, [...all, 'WMS Sandbox']],
  ['another type', { integrationType: 'cart' }, ['Drum Shop']],
  ['a type that has none', { integrationType: 'freight' }, []],
  ['an allow list', { integrationAllowList: ['acme-wms', 'crate-wms'] }, ['Acme WMS', 'Crate & Co']],
  ['an allow list of one', { integrationAllowList: ['bolt-wms'] }, ['Bolt Warehouse']],
  ['an allow list of an unknown one', { integrationAllowList: ['no-such'] }, []],
  ['an allow list and the sandbox', { integrationAllowList: ['acme-wms'], sandbox: true }, ['Acme WMS', 'WMS Sandbox']],
  ['a block list', { integrationBlockList: ['acme-wms'] }, ['Bolt Warehouse', 'Crate & Co']],
  ['both lists', { integrationAllowList: ['acme-wms'], integrationBlockList: ['bolt-wms'] }, all],
  ['an endpoint', { integrationsWithEndpoints: ['get_products'] }, ['Acme WMS', 'Bolt Warehouse']],
  ['two endpoints', { integrationsWithEndpoints: ['get_products', 'get_returns'] }, ['Acme WMS']],
  [
    'a block list and an endpoint',
    { integrationBlockList: ['acme-wms'], integrationsWithEndpoints: ['get_products'] },
    ['Bolt Warehouse'],
  ],
  [
    'an allow list of another type',
    { integrationAllowList: ['drum-cart'], integrationType: 'cart', sandbox: true },
    ['Drum Shop'],
  ],
]

for (const [what, config, names] of configured) {
  test(`a component configured with ${what} offers ${names.join(', ') || 'nothing'}`, async () => {
    const { page, frame } = await stage.embed(config)
    assert.deepEqual(await offeredIn(frame), names)
    await page.context().close()
  })
}

const linked: [string, object, string[]][] = [
  ['no list', {}, all],
  ['an allow list', { integration_allow_list: ['acme-wms', 'sandbox'] }, ['Acme WMS', 'WMS Sandbox']],
  ['a block list', { integration_block_list: ['crate-wms'] }, ['Acme WMS', 'Bolt Warehouse']],
  ['endpoints', { integrations_with_endpoints: ['get_products'] }, ['Acme WMS', 'Bolt Warehouse']],
  ['a type', { integration_type: 'cart' }, ['Drum Shop']],
]

for (const [what, request, names] of linked) {
  test(`a magic link with ${what} offers ${names.join(', ')}`, async () => {
    const { url } = await stage.magicLink(request)
    const page = await stage.open(url)
    assert.deepEqual(await offeredIn(page), names)
    await page.context().close()
  })
}

test('a page that asks for another integration by hand is refused', async () => {
  const { id, url } = await stage.magicLink({ integration_allow_list: ['acme-wms'] })
  const page = await stage.open(url)
  const body = { integration_name: 'bolt-wms', credentials: {}, integration_allow_list: ['bolt-wms'] }
  const status = await page.evaluate(`fetch('install', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-service-link-token': '${id}' },
    body: '${JSON.stringify(body)}',
  }).then((answer) => answer.status)`)
  assert.equal(status, 403)
})

test('a component can begin with one integration, and switch functions off', async () => {
  const { page } = await stage.embed({ disabledFunctions: ['get_returns'] })
  await page.evaluate("Service.close(); Service.open({ integrationId: 'acme-wms' })")
  const frame = page.frameLocator('dialog iframe')
  await frame.getByRole('heading', { name: 'Connect Acme WMS' }).waitFor()
  await frame.getByText('What will be read and written?').click()
  assert.deepEqual(await frame.locator('.tags li').allTextContents(), ['Orders', 'Products', 'Warehouses'])
})

/** What can be picked; a form counts as what it connects. */
async function offeredIn(page: Page | FrameLocator): Promise<string[]> {
  const title = await page.getByRole('heading', { level: 1 }).textContent()
  const names = await page.locator('.choice-name').allTextContents()
  if (names.length === 0 && (await page.locator('form').count()) > 0) return [title!.replace('Connect ', '')]
  return names.sort()
}
