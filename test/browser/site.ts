import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

export interface Site {
  origin: string
  /** Every document that was asked for, by path. */
  pages: Map<string, { type: string; body: string }>
  /** What `POST /exchange` was answered with, in order. */
  exchanged: { status: number; body: Record<string, unknown> }[]
  /** What was sent to its webhook, `POST /webhook`, in the order it came. */
  told: { event_type: string; connection_id: string; data: Record<string, unknown> }[]
  /** Body of the next `POST /link/token`. */
  tokenRequest: Record<string, unknown>
  stop(): void
}

/** An organization's own site with its server behind, on an origin of its own. */
export async function startSite(crossdock: string, apiKey: string): Promise<Site> {
  const post = async (path: string, body: object) => {
    const headers = { 'x-service-api-key': apiKey, 'content-type': 'application/json' }
    const answer = await fetch(crossdock + path, { method: 'POST', headers, body: JSON.stringify(body) })
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
  }
  const answer = async (request: IncomingMessage): Promise<{ status?: number; type: string; body: string }> => {
    const { pathname } = new URL(request.url!, 'http://site')
    if (request.method === 'POST' && pathname === '/link-token') {
      const { body } = await post('/link/token', site.tokenRequest)
      return { type: 'text/plain', body: String(body.link_token) }
    }
    if (request.method === 'POST' && pathname === '/exchange') {
      const result = await post('/link/exchange', { auth_code: await text(request) })
      site.exchanged.push(result)
      return { status: result.status, type: 'text/plain', body: '' }
    }
    if (request.method === 'POST' && pathname === '/webhook') {
      site.told.push(JSON.parse(await text(request)))
      return { type: 'text/plain', body: '' }
    }
    return site.pages.get(pathname) ?? { status: 404, type: 'text/plain', body: 'nothing here' }
  }
  const server = createServer(async (request, response) => {
    const { status = 200, type, body } = await answer(request)
    response.writeHead(status, { 'content-type': type }).end(body)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const site: Site = {
    origin: `http://localhost:${(server.address() as AddressInfo).port}`,
    pages: new Map(),
    exchanged: [],
    told: [],
    tokenRequest: {},
    stop() {
      server.close()
      server.closeAllConnections()
    },
  }
  return site
}

/** A page that uses the script, with everything that happens written to `window.happened`. */
export function embeddingPage(crossdock: string, config: object): string {
  return `<!doctype html><html lang="en"><head><title>Shop</title><meta name="viewport" content="width=device-width, initial-scale=1">
<script src="${crossdock}/link.js"></script></head><body><main><h1>Shop</h1><button id="connect">Connect</button></main><script>
window.happened = []
window.config = {
  getLinkToken: async () => (await fetch('link-token', { method: 'POST' })).text(),
  onSuccess: (authCode, name) => happened.push(['success', authCode, name]),
  onClose: () => happened.push(['close']),
  onLoad: () => happened.push(['load']),
  ...${JSON.stringify(config)},
}
Service.init(config)
document.querySelector('#connect').addEventListener('click', () => window['Service' + (config.buttonId ?? '')].open())
</script></body></html>`
}
