import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { hashSecret } from '../../server/src/secrets.ts'
import { type Stage, signIn, startStage } from './stage.ts'

let stage: Stage
before(async () => {
  stage = await startStage()
})
after(() => stage?.stop())

test('a customer installs by magic link: search, look, sign in, watch the first sync end', async () => {
  const { url } = await stage.magicLink({ customer_id: 'search-to-end' })
  const page = await stage.open(url)
  await page.getByRole('searchbox').fill('acm')
  await page.getByRole('button', { name: /^Acme WMS/ }).click()
  await page.getByRole('heading', { name: 'What default will see' }).waitFor()
  assert.deepEqual(await page.locator('.tags li').allTextContents(), ['Orders', 'Products', 'Returns', 'Warehouses'])
  await page.getByRole('button', { name: 'Continue' }).click()
  await signIn(page, { address: stage.acme.origin })
  await page.getByRole('heading', { name: 'Acme WMS is connected' }).waitFor()
  await page.getByText('4 of 4').waitFor()
  assert.deepEqual(await connectionsOf('search-to-end'), ['acme-wms'])
})

test('the page wears the colour and the logo that the operator gave the organization', async () => {
  await stage.brand({ brand_color: '#0a7d33', brand_logo_url: 'https://logo.example/logo.svg' })
  const page = await stage.open('about:blank', { colorScheme: 'light' })
  const logo = {
    contentType: 'image/svg+xml',
    body: '<svg xmlns="http://www.w3.org/2000/svg" width="80" height="20"/>',
  }
  await page.context().route('https://logo.example/logo.svg', (route) => route.fulfill(logo))
  await page.goto((await stage.magicLink({ integration_allow_list: ['crate-wms'] })).url)
  assert.equal(await page.getByRole('img', { name: 'default' }).getAttribute('src'), 'https://logo.example/logo.svg')
  const color = () => page.evaluate("getComputedStyle(document.querySelector('button.primary')).backgroundColor")
  assert.equal(await color(), 'rgb(10, 125, 51)')
  await stage.brand({ brand_color: null, brand_logo_url: null })
  await page.reload()
  await page.locator('#brand', { hasText: 'default' }).waitFor()
  assert.notEqual(await color(), 'rgb(10, 125, 51)')
})

test('one integration left leads straight to its form, which says what is exchanged', async () => {
  const { url } = await stage.magicLink({ integration_allow_list: ['crate-wms'] })
  const page = await stage.open(url)
  await page.getByRole('heading', { name: 'Connect Crate & Co' }).waitFor()
  await page.getByText('What will be read and written?').click()
  assert.deepEqual(await page.locator('.tags li').allTextContents(), ['Orders'])
})

test('each field says where its value is found', async () => {
  const { url } = await stage.magicLink({ integration_allow_list: ['acme-wms'] })
  const page = await stage.open(url)
  for (const [field, help] of [
    ['Address of your system', 'copy the address up to the first slash'],
    ['User name', 'The name you sign in with'],
    ['Password', 'An administrator can set a new one'],
  ]) {
    const shown = page.getByText(help!)
    assert.equal(await shown.isVisible(), false)
    await page.locator('summary', { hasText: `(${field})` }).click()
    await shown.waitFor()
  }
})

test('a reinstall leads straight to the form and keeps the connection', async () => {
  const first = await stage.magicLink({ customer_id: 'again', integration_allow_list: ['acme-wms'] })
  const page = await stage.open(first.url)
  await signIn(page, { address: stage.acme.origin })
  await page.getByRole('heading', { name: 'Acme WMS is connected' }).waitFor()
  const row = () => stage.db.selectFrom('connections').selectAll().where('customer_id', '=', 'again').execute()
  const [before] = await row()

  const again = await stage.magicLink({ connection_id: before!.id })
  await page.goto(again.url)
  await page.getByRole('heading', { name: 'Reconnect Acme WMS' }).waitFor()
  await signIn(page, { address: stage.acme.origin })
  await page.getByRole('heading', { name: 'Acme WMS is connected' }).waitFor()
  const [after, ...more] = await row()
  assert.deepEqual(more, [])
  assert.deepEqual([after!.id, after!.token_hash], [before!.id, before!.token_hash])
  assert.notDeepEqual(after!.credentials_sealed, before!.credentials_sealed)
})

test('an expired, a withdrawn, a used and an unknown link each say what to do next', async () => {
  const expired = await stage.magicLink()
  await stage.db
    .updateTable('magic_links')
    .set({ expires_at: new Date(Date.now() - 1000) })
    .where('hash', '=', hashSecret(expired.id))
    .execute()
  const withdrawn = await stage.magicLink()
  await stage.call('DELETE', `/magic-links/${withdrawn.id}`)
  const used = await stage.magicLink({ integration_allow_list: ['crate-wms'] })
  const page = await stage.open(used.url)
  await signIn(page, { address: stage.acme.origin })
  await page.getByRole('heading', { name: /is connected/ }).waitFor()

  for (const [url, title, next] of [
    [expired.url, 'This link has expired', /Ask whoever sent it to you for a new link/],
    [withdrawn.url, 'This link was withdrawn', /Ask whoever sent it to you for a new link/],
    [used.url, 'This link has already been used', /The connection it made is in place/],
    [`${stage.origin}/link/${'0'.repeat(32)}`, 'This link does not exist', /Check that the address is complete/],
    [used.url.slice(0, -9), 'This link does not exist', /Check that the address is complete/],
    [`${used.url}?utm_source=mail`, 'This link has already been used', /The connection it made is in place/],
  ] as const) {
    await page.goto(url)
    await page.getByRole('heading', { name: title }).waitFor()
    await page.getByText(next).waitFor()
    assert.equal(await page.getByRole('textbox').count(), 0)
  }
})

test('a link that expires while the form is open says so at the next step', async () => {
  const link = await stage.magicLink({ integration_allow_list: ['crate-wms'] })
  const page = await stage.open(link.url)
  await page.getByRole('heading', { name: 'Connect Crate & Co' }).waitFor()
  await stage.db
    .updateTable('magic_links')
    .set({ expires_at: new Date(Date.now() - 1000) })
    .where('hash', '=', hashSecret(link.id))
    .execute()
  await signIn(page, { address: stage.acme.origin })
  await page.getByRole('heading', { name: 'This link has expired' }).waitFor()
})

test('two installs of one link at once make one connection', async () => {
  const { url } = await stage.magicLink({ customer_id: 'both', integration_allow_list: ['acme-wms'] })
  const pages = await Promise.all([stage.open(url), stage.open(url)])
  await Promise.all(pages.map((page) => signIn(page, { address: stage.acme.origin })))
  const titles = await Promise.all(
    pages.map(async (page) => {
      const title = page.getByRole('heading', { name: /is connected|already been used/, level: 1 })
      return title.textContent()
    }),
  )
  assert.deepEqual(titles.sort(), ['Acme WMS is connected', 'This link has already been used'])
  assert.deepEqual(await connectionsOf('both'), ['acme-wms'])
})

async function connectionsOf(customer: string): Promise<string[]> {
  const rows = await stage.db
    .selectFrom('connections')
    .select('integration_name')
    .where('customer_id', '=', customer)
    .execute()
  return rows.map((row) => row.integration_name)
}
