import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Stage, signIn, startStage } from './stage.ts'

let stage: Stage
before(async () => {
  stage = await startStage()
})
after(() => stage?.stop())

test('a wrong password is named as such, the focus goes there, and the attempt is listed', async () => {
  const page = await formOf('wrong-password')
  await signIn(page, { address: stage.acme.origin, password: 'not this one' })
  const notice = page.locator('.notice')
  await notice.getByText('Acme WMS does not accept these credentials').waitFor()
  await notice.getByText('Unknown user or password').waitFor()
  await page.locator('.notice:focus').waitFor()
  await assertAttempt('wrong-password', 'log_in', /does not accept these credentials/)
})

test('an address where nothing answers is named as such, and a second try can succeed', async () => {
  const page = await formOf('nothing-there')
  await signIn(page, { address: 'http://127.0.0.1:9' })
  await page.getByText('Acme WMS cannot be reached at this address').waitFor()
  await page.getByText('Check the address').waitFor()
  await assertAttempt('nothing-there', 'reach', /cannot be reached/)
  await signIn(page, { address: stage.acme.origin })
  await page.getByRole('heading', { name: 'Acme WMS is connected' }).waitFor()
})

test('what a login may not read is told by endpoint', async () => {
  stage.acme.forbidden.add('/products').add('/returns')
  const page = await formOf('half-allowed')
  await signIn(page, { address: stage.acme.origin })
  await page.getByText('This sign-in may not read Products and Returns').waitFor()
  assert.deepEqual(await page.locator('.endpoints li').allTextContents(), ['GET /wms/products', 'GET /wms/returns'])
  stage.acme.forbidden.clear()
})

test('what can be seen wrong is told at each field before anything is sent', async () => {
  const page = await formOf('not-sent')
  let sent = 0
  page.on('request', (request) => {
    if (request.method() === 'POST') sent++
  })
  await page.getByRole('textbox', { name: 'Address of your system' }).fill('acme')
  await page.getByRole('button', { name: 'Connect' }).click()
  const address = page.getByRole('textbox', { name: 'Address of your system' })
  assert.equal(await address.getAttribute('aria-invalid'), 'true')
  const described = await address.getAttribute('aria-describedby')
  assert.equal(await page.locator(`#${described}`).textContent(), 'Enter an address that begins with https://')
  await page.locator('input[name=base_url]:focus').waitFor()
  assert.equal(await page.getByText('Fill this in.').count(), 2)
  await address.fill('https://acme.example')
  assert.equal(await address.getAttribute('aria-invalid'), null)
  assert.equal(sent, 0)
})

test('a server that does not answer is told as such, and what was typed stays', async () => {
  const page = await formOf('offline')
  await page.context().setOffline(true)
  await signIn(page, { address: stage.acme.origin })
  await page.getByText('There is no connection to the server').waitFor()
  assert.equal(await page.getByRole('textbox', { name: 'User name' }).inputValue(), 'dock')
})

test('where the search finds nothing, the customer asks for the integration', async () => {
  const { url } = await stage.magicLink()
  const page = await stage.open(url)
  await page.getByRole('searchbox').fill('Warehouse of tomorrow')
  await page.getByText('Nothing here is called “Warehouse of tomorrow”.').waitFor()
  await page.getByRole('button', { name: 'Ask for an integration' }).click()
  await page.getByLabel('Its API documentation').fill('https://tomorrow.example/api')
  await page.getByRole('button', { name: 'Send' }).click()
  await page.getByText('Your request for Warehouse of tomorrow has been passed on.').waitFor()
  const [filed, ...more] = await stage.db.selectFrom('integration_requests').selectAll().execute()
  assert.deepEqual(more, [])
  assert.deepEqual(
    [filed!.integration_name, filed!.integration_type, filed!.flows, filed!.api_docs_url],
    ['Warehouse of tomorrow', 'wms', ['not_sure'], 'https://tomorrow.example/api'],
  )
})

test('a request for an integration is sent once, however often the button is pressed, and again after it failed', async () => {
  const { url } = await stage.magicLink()
  const page = await stage.open(url)
  await page.getByRole('searchbox').fill('Warehouse of today')
  await page.getByRole('button', { name: 'Ask for an integration' }).click()
  const answers = [503, 200]
  let sent = 0
  let pressed = Promise.withResolvers<void>()
  await page.route('**/integration-requests', async (route) => {
    sent++
    await pressed.promise
    await route.fulfill({ status: answers[sent - 1] ?? 500, json: { error: 'Not now' } })
  })
  for (const text of ['Your request was not sent.', 'Your request for Warehouse of today has been passed on.']) {
    pressed = Promise.withResolvers()
    await page.getByRole('button', { name: 'Send' }).dblclick()
    pressed.resolve()
    await page.getByText(text).waitFor()
  }
  assert.equal(sent, 2)
})

async function formOf(customer: string) {
  const { url } = await stage.magicLink({ customer_id: customer, integration_allow_list: ['acme-wms'] })
  const page = await stage.open(url)
  await page.getByRole('heading', { name: 'Connect Acme WMS' }).waitFor()
  return page
}

async function assertAttempt(customer: string, step: string, message: RegExp) {
  const { body } = await stage.call<{ data: { outcome: string; step: string; message: string }[] }>(
    'GET',
    `/install-attempts?customer_id=${customer}`,
  )
  assert.equal(body.data.length, 1)
  assert.deepEqual([body.data[0]!.outcome, body.data[0]!.step], ['failed', step])
  assert.match(body.data[0]!.message, message)
}
