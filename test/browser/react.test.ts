import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { bundle, serveReactExample } from './examples.ts'
import { type Stage, startStage } from './stage.ts'

let stage: Stage
before(async () => {
  stage = await startStage()
})
after(() => stage?.stop())

test('the React example connects with its button and with its own, and both codes are exchanged', async () => {
  const { page, exchanged } = await openExample()
  const frame = page.frameLocator('dialog iframe')
  await page.getByRole('button', { name: 'Connect WMS' }).click()
  await frame.getByRole('button', { name: /Sandbox/ }).click()
  await frame.getByRole('button', { name: 'Connect' }).click()
  await frame.getByRole('button', { name: 'Done' }).click()
  await page.getByText('Connected: sandbox').waitFor()

  await page.getByRole('button', { name: 'Try the sandbox' }).click()
  await frame.getByRole('heading', { name: 'Connect WMS Sandbox' }).waitFor()
  await frame.getByRole('button', { name: 'Connect' }).click()
  await page.getByText('Connected: sandbox, sandbox').waitFor()
  assert.deepEqual(
    exchanged.map(({ status }) => status),
    [200, 200],
  )
  assert.equal(exchanged[0]!.body.access_token, exchanged[1]!.body.access_token)
})

test('where the script cannot be loaded the button is disabled and the hook says why', async () => {
  const { page } = await openExample('http://127.0.0.1:9')
  await page.getByText('http://127.0.0.1:9/link.js cannot be loaded').waitFor()
  assert.equal(await page.getByRole('button', { name: 'Connect WMS' }).isDisabled(), true)
})

test('a tag of the page that failed before is no reason to wait: the button is disabled', async () => {
  const page = await openExampleBeside('http://127.0.0.1:9')
  await page.getByText('http://127.0.0.1:9/link.js cannot be loaded').waitFor()
  assert.equal(await page.getByRole('button', { name: 'Connect WMS' }).isDisabled(), true)
})

test('a tag of the page that loads serves the button as well', async () => {
  const page = await openExampleBeside(stage.origin)
  await page.getByRole('button', { name: 'Connect WMS' }).click()
  await page
    .frameLocator('dialog iframe')
    .getByRole('button', { name: /Sandbox/ })
    .waitFor()
})

test('the button renders on a server, where there is no window', async () => {
  const script = await bundle({
    contents: `
      import { createElement } from 'react'
      import { renderToString } from 'react-dom/server.edge'
      import { ServiceConnectButton } from '@crossdock/react-link'
      export default renderToString(createElement(ServiceConnectButton, {
        integrationType: 'cart', className: 'wide', getLinkToken: async () => '', onSuccess() {},
      }))`,
    resolveDir: fileURLToPath(new URL('../../react-link', import.meta.url)),
  })
  const rendered = await import(`data:text/javascript;base64,${Buffer.from(script).toString('base64')}`)
  assert.equal(rendered.default, '<button type="button" class="wide">Connect Cart</button>')
})

async function openExample(serviceUrl = stage.origin) {
  await serveReactExample(stage.site, serviceUrl)
  stage.site.exchanged.length = 0
  return { page: await stage.open(`${stage.site.origin}/`), exchanged: stage.site.exchanged }
}

/** The example on a page that has loaded the script, or has failed to, before the example runs. */
async function openExampleBeside(serviceUrl: string) {
  await serveReactExample(stage.site, serviceUrl)
  const { type, body } = stage.site.pages.get('/')!
  const tag = `<script src="${serviceUrl}/link.js"></script>`
  stage.site.pages.set('/', { type, body: body.replace('</head>', `${tag}</head>`) })
  return stage.open(`${stage.site.origin}/`)
}
