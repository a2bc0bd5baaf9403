import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import axe from 'axe-core'
import type { Frame, Page } from 'playwright-core'
import { login } from './acme.ts'
import { happened, type Stage, signIn, startStage } from './stage.ts'

let stage: Stage
before(async () => {
  stage = await startStage()
})
after(() => stage?.stop())

for (const [colorScheme, brand] of [
  ['light', null],
  ['dark', null],
  ['light', '#ffe14d'],
  ['dark', '#1a1a2e'],
] as const) {
  test(`axe finds nothing on any step, ${colorScheme}${brand ? `, with the colour ${brand}` : ''}`, async () => {
    await stage.brand({ brand_color: brand })
    const { url } = await stage.magicLink()
    const page = await stage.open(url, { colorScheme, reducedMotion: 'reduce' })
    const check = (step: string) => assertAccessible(page.mainFrame(), step)
    await page.getByRole('searchbox').waitFor()
    await check('pick')
    await page.getByRole('searchbox').fill('none such')
    await check('nothing found')
    await page.getByRole('button', { name: 'Ask for an integration' }).click()
    await page.getByRole('button', { name: 'Send' }).waitFor()
    await check('ask')
    await page.getByRole('button', { name: 'Back' }).click()
    await page.getByRole('searchbox').fill('')
    await page.getByRole('button', { name: /^Acme/ }).click()
    await page.getByRole('button', { name: 'Continue' }).waitFor()
    await check('review')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.locator('summary').first().click()
    await check('form')
    await page.getByRole('button', { name: 'Connect' }).click()
    await page.getByText('Fill this in.').first().waitFor()
    await check('faults')
    await signIn(page, { address: stage.acme.origin, password: 'wrong' })
    await page.locator('.notice').waitFor()
    await check('refused')
    stage.acme.forbidden.add('/products')
    await signIn(page, { address: stage.acme.origin })
    await page.getByText('3 of 4').waitFor()
    stage.acme.forbidden.clear()
    await check('done')
    await page.goto(url)
    await page.getByRole('heading', { name: 'This link has already been used' }).waitFor()
    await check('used')
    await page.context().close()
  })
}

test('inside another page axe finds nothing either', async () => {
  const { page, frame } = await stage.embed({ sandbox: true }, { reducedMotion: 'reduce' })
  await frame.getByRole('searchbox').waitFor()
  await assertAccessible(page.mainFrame(), 'the page around')
  await assertAccessible(page.frames()[1]!, 'pick')
})

test('the keyboard alone is enough, from the button to the closed window', async () => {
  const { page, frame } = await stage.embed({})
  await frame.getByRole('searchbox').waitFor()
  await page.keyboard.press('Escape')
  await happened(page, 'close')
  await page.locator('#connect:focus').waitFor()
  await page.keyboard.press('Enter')
  await frame.locator('input[type=search]:focus').waitFor()
  await page.keyboard.type('acme')
  await tabTo(page, 'AWAcme WMS')
  await page.keyboard.press('Enter')
  await frame.getByRole('button', { name: 'Continue' }).waitFor()
  await frame.locator('h1:focus').waitFor()
  await tabTo(page, 'Continue')
  await page.keyboard.press('Enter')
  await frame.locator('input[name=base_url]:focus').waitFor()
  await page.keyboard.type(stage.acme.origin)
  await tabTo(page, 'user')
  await page.keyboard.type(login.user)
  await tabTo(page, 'password')
  await page.keyboard.type(login.password)
  await page.keyboard.press('Enter')
  await frame.getByRole('heading', { name: 'Acme WMS is connected' }).waitFor()
  assert.equal((await happened(page, 'success'))[2], 'acme-wms')
  await page.keyboard.press('Escape')
  await page.locator('dialog').waitFor({ state: 'detached' })
  await page.locator('#connect:focus').waitFor()
})

test('what happens is said to screen readers', async () => {
  const { url } = await stage.magicLink()
  const page = await stage.open(url)
  const said = (text: string) => page.locator('#announcements', { hasText: text }).waitFor({ state: 'attached' })
  await said('Connect your warehouse system')
  await page.getByRole('searchbox').fill('acme')
  await said('1 found')
  await page.getByRole('searchbox').fill('none such')
  await said('Nothing found')
  await page.getByRole('searchbox').fill('acme')
  await page.getByRole('button', { name: /^Acme/ }).click()
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('button', { name: 'Connect' }).click()
  await said('3 fields need your attention')
  await signIn(page, { address: stage.acme.origin })
  await said('The first sync is complete')
})

test('nothing moves where motion is not wanted, and nothing is cut off from a phone to a desktop', async () => {
  const { url } = await stage.magicLink({ integration_allow_list: ['acme-wms'] })
  for (const width of [320, 375, 768, 1440]) {
    const page = await stage.open(url, { viewport: { width, height: 640 }, reducedMotion: 'reduce' })
    await page.getByRole('button', { name: 'Connect' }).waitFor()
    assert.equal(await page.evaluate('document.getAnimations().length'), 0)
    assert.equal(await page.evaluate('document.documentElement.scrollWidth > innerWidth'), false)
    await page.context().close()
  }
})

async function assertAccessible(frame: Frame, step: string) {
  await frame.evaluate(axe.source)
  const found = (await frame.evaluate(
    "axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' ')))",
  )) as string[]
  assert.deepEqual(found, [], step)
}

/** Presses Tab until what has that name or text has the focus. */
async function tabTo(page: Page, name: string) {
  for (let presses = 0; presses < 20; presses++) {
    await page.keyboard.press('Tab')
    const focused = await page
      .frames()[1]!
      .evaluate('document.activeElement.name || document.activeElement.textContent')
    if (String(focused).startsWith(name)) return
  }
  assert.fail(`${name} cannot be reached with the Tab key`)
}
