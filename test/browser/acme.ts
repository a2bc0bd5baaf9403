import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  credentialsForm,
  defineIntegration,
  type Integration,
  read,
  secretField,
  textField,
  urlField,
} from '../../server/src/integrations/define.ts'
import type { HttpClient } from '../../server/src/integrations/http.ts'
import type { IntegrationType } from '../../server/src/resources/define.ts'
import { orders } from '../../server/src/resources/wms/orders.ts'
import { products } from '../../server/src/resources/wms/products.ts'
import { returns } from '../../server/src/resources/wms/returns.ts'
import { warehouses } from '../../server/src/resources/wms/warehouses.ts'

export const login = { user: 'dock', password: 'correct horse battery' }

/** A warehouse system that knows one login and can take its permissions away. */
export async function startAcme() {
  const forbidden = new Set<string>()
  const server = createServer((request, response) => {
    const answer = (status: number, body: object) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    const path = new URL(request.url!, 'http://acme').pathname
    const expected = `Basic ${Buffer.from(`${login.user}:${login.password}`).toString('base64')}`
    if (request.headers.authorization !== expected) return answer(401, { message: 'Unknown user or password' })
    if (forbidden.has(path)) return answer(403, { message: 'Not allowed' })
    answer(200, path === '/account' ? { id: 'north', name: 'North dock' } : { items: [] })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Paths that the login may not read. */
    forbidden,
    stop() {
      server.close()
      server.closeAllConnections()
    },
  }
}

/** An integration with that system; each has some of its functions. */
export function acmeIntegration(
  name: string,
  displayName: string,
  more: { description?: string; type?: IntegrationType; functions?: readonly string[] } = {},
): Integration {
  const { description = 'A warehouse system of its own kind', type = 'wms', functions = Object.keys(actions) } = more
  return defineIntegration<HttpClient>({
    ...{ name, type, displayName, description },
    install: credentialsForm({
      base_url: urlField(
        'Address of your system',
        'Open the system in your browser and copy the address up to the first slash.',
      ),
      user: textField('User name', 'The name you sign in with. Settings → Users lists all of them.'),
      password: secretField(
        'Password',
        'The password of that user. An administrator can set a new one in Settings → Users.',
      ),
    }),
    connect({ base_url, user, password }, http) {
      const authorization = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
      return http.at(base_url!, { headers: { authorization } })
    },
    async account(acme) {
      const { id, name: accountName } = (await acme.get('/account')).body
      return { account_id: id, account_name: accountName }
    },
    actions: Object.fromEntries(Object.entries(actions).filter(([function_]) => functions.includes(function_))),
  })
}

const page = (path: string) => async (acme: HttpClient) => {
  await acme.get(path)
  return { items: [] as never[], next: null }
}
const map = (nothing: never) => nothing

const actions = {
  get_orders: read(orders, page('/orders'), map),
  get_products: read(products, page('/products'), map),
  get_returns: read(returns, page('/returns'), map),
  get_warehouses: read(warehouses, page('/warehouses'), map),
}
