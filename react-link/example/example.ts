import { ServiceConnectButton, useServiceLink } from '@crossdock/react-link'
import { createElement, useState } from 'react'
import { createRoot } from 'react-dom/client'

const serviceUrl = 'http://127.0.0.1:3000'

/** A page with the ready-made button, and one with a button of its own. */
function Example() {
  const [connected, setConnected] = useState<string[]>([])
  const config = {
    serviceUrl,
    sandbox: true,
    /** Your server calls `POST /link/token` with its API key. */
    getLinkToken: async () => (await fetch('link-token', { method: 'POST' })).text(),
    /** Your server calls `POST /link/exchange` with its API key, and keeps the access token. */
    onSuccess: async (authCode: string, integrationName: string) => {
      const exchanged = await fetch('exchange', { method: 'POST', body: authCode })
      if (exchanged.ok) setConnected((names) => [...names, integrationName])
    },
  }
  const { open, error } = useServiceLink(config)
  return createElement(
    'main',
    null,
    createElement('h1', null, 'Your warehouse'),
    createElement(ServiceConnectButton, config),
    createElement('button', { type: 'button', onClick: () => open({ integrationId: 'sandbox' }) }, 'Try the sandbox'),
    createElement(
      'p',
      { role: 'status' },
      error ? error.message : `Connected: ${connected.join(', ') || 'nothing yet'}`,
    ),
  )
}

createRoot(document.querySelector('#root')!).render(createElement(Example))
