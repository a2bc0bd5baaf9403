import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Writable } from 'node:stream'
import { sql } from 'kysely'
import { pino } from 'pino'
import { findConnectionCaller } from '../connections/find-connections.ts'
import { startEmbeddedPostgres } from '../db/embedded.ts'
import { migrate } from '../db/migrate.ts'
import { openDatabase } from '../db/open.ts'
import type { Db } from '../db/schema.ts'
import { temporaryFolder } from '../db/temporary-folder.fixture.ts'
import type { App } from '../http/app.ts'
import { createHttpServer } from '../http/server.ts'
import { integrationRequestRoutes } from '../integration-requests/routes.ts'
import {
  credentialsForm,
  defineIntegration,
  type Page,
  read,
  secretField,
  textField,
  urlField,
} from '../integrations/define.ts'
import type { HttpClient } from '../integrations/http.ts'
import { createHttp } from '../integrations/http-client.ts'
import { createRegistry } from '../integrations/registry.ts'
import { sandbox } from '../integrations/sandbox/index.ts'
import { findCaller } from '../organizations/api-keys.ts'
import { createOrganization } from '../organizations/organizations.ts'
import { resources } from '../resources/index.ts'
import { bills } from '../resources/wms/bills.ts'
import { orders } from '../resources/wms/orders.ts'
import { products } from '../resources/wms/products.ts'
import { generateSandbox } from '../sandbox/generate-sandbox.ts'
import { startWarehouse } from '../sandbox/warehouse/server.ts'
import { hashSecret, Vault } from '../secrets.ts'
import { installRoutes } from './routes.ts'

/**
 * An installation with the real parts of installing: a PostgreSQL, the HTTP application, the sandbox, and a small
 * warehouse system that answers over HTTP. Its clock is moved by hand.
 */
export async function startInstallation({ trustedProxies = [] }: { trustedProxies?: string[] } = {}) {
  const dataDir = await temporaryFolder('install')
  const postgres = await startEmbeddedPostgres({ dataDir })
  const { db, close } = openDatabase(postgres.url, 10)
  await migrate(db, resources)
  const acme = await startAcme()
  const warehouse = await startWarehouse(db)
  const vault = new Vault([Buffer.alloc(32, 7)])
  const registry = createRegistry([
    acmeWms('acme-wms', 'Acme WMS', ['get_orders', 'get_products', 'get_bills']),
    acmeWms('bolt-wms', 'Bolt WMS', ['get_orders', 'get_products']),
    acmeWms('core-wms', 'Core WMS', ['get_orders']),
    { ...acmeWms('drum-cart', 'Drum Cart', ['get_orders']), type: 'cart' as const },
    sandbox(warehouse.origin),
  ])
  const clock = { aheadMs: 0 }
  const now = () => new Date(Date.now() + clock.aheadMs)
  const logged: string[] = []
  const log = pino(
    { level: 'trace' },
    new Writable({
      write(line, _encoding, done) {
        logged.push(String(line))
        done()
      },
    }),
  )
  const app = await createHttpServer({
    log,
    publicUrl: 'http://crossdock.test',
    rateLimit: { readPerSecond: 0, writePerSecond: 0 },
    trustedProxies,
    keys: {
      findCaller: (hash) => findCaller(db, hash),
      findConnection: (hash) => findConnectionCaller(db, hash),
      operatorKeyHash: hashSecret(operatorKey),
    },
  })
  installRoutes(app, {
    db,
    vault,
    registry,
    now,
    publicUrl: 'http://crossdock.test',
    http: (options) => createHttp({ ...options, allowPrivateNetwork: true, trustedOrigins: [] }),
    generateSandbox: (trx, organizationId, type) =>
      generateSandbox(trx, { vault, registry, now }, organizationId, type),
  })
  integrationRequestRoutes(app, { db })
  const ours = await createOrganization(db, 'Ours')
  const theirs = await createOrganization(db, 'Theirs')

  return {
    db,
    acme,
    clock,
    logged,
    ours: caller(app, ours.api_key, ours.organization.id),
    theirs: caller(app, theirs.api_key, theirs.organization.id),
    operator: (method: Method, path: string) => call(app, method, path, { 'x-service-operator-key': operatorKey }),
    /** A page opened with a link token or a magic link's id, from an address of its own. */
    page: (opener: string, from = nextAddress(), forwardedFor?: string) => pageOf(app, opener, from, forwardedFor),
    async stop() {
      await app.close()
      await warehouse.stop()
      acme.stop()
      await close()
      await postgres.stop()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

export const operatorKey = 'op_of_this_test'

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'

async function call(
  app: App,
  method: Method,
  url: string,
  headers: Record<string, string>,
  payload?: object,
  from = '127.0.0.1',
) {
  const answer = await app.inject({ method, url, headers, remoteAddress: from, ...(payload && { payload }) })
  return { status: answer.statusCode, headers: answer.headers, body: answer.json() }
}

function caller(app: App, apiKey: string, organizationId: string) {
  const headers = { 'x-service-api-key': apiKey }
  return {
    organizationId,
    get: (path: string) => call(app, 'GET', path, headers),
    post: (path: string, body?: object) => call(app, 'POST', path, headers, body),
    delete: (path: string) => call(app, 'DELETE', path, headers),
    patch: (path: string, accessToken: string, body: object) =>
      call(app, 'PATCH', path, { ...headers, 'x-service-access-token': accessToken }, body),
  }
}

let pages = 0

function nextAddress(): string {
  pages++
  return `10.0.${pages >> 8}.${pages & 255}`
}

function pageOf(app: App, opener: string, from: string, forwardedFor?: string) {
  const headers = { 'x-service-link-token': opener, ...(forwardedFor && { 'x-forwarded-for': forwardedFor }) }
  return {
    session: (query = '') => call(app, 'GET', `/link/session${query}`, headers, undefined, from),
    install: (body: object) => call(app, 'POST', '/link/install', headers, body, from),
    progress: () => call(app, 'GET', '/link/progress', headers, undefined, from),
    ask: (body: object) => call(app, 'POST', '/link/integration-requests', headers, body, from),
  }
}

/** A warehouse system that knows one login. */
async function startAcme() {
  const state = { password: 'correct horse battery', forbidden: new Set<string>(), asked: [] as string[] }
  const server = createServer((request, response) => {
    const path = request.url!.split('?', 1)[0]!
    state.asked.push(path)
    const answer = (status: number, body: object) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    if (path.startsWith('/silent')) return
    if (path.startsWith('/shop')) return answer(404, { message: 'No such page' })
    const given = String(request.headers['x-password'])
    if (given !== encodeURIComponent(state.password)) return answer(401, { message: `Wrong password ${given}` })
    if (state.forbidden.has(path)) return answer(403, { message: 'Ask your administrator' })
    answer(200, path === '/account' ? { id: 'A-1', name: 'Acme North' } : [])
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    state,
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop() {
      server.close()
      server.closeAllConnections()
    },
  }
}

function acmeWms(name: string, displayName: string, functions: readonly string[]) {
  const page =
    (path: string) =>
    async (http: HttpClient): Promise<Page<never>> => ({
      items: (await http.get(path)).body,
      next: null,
    })
  const map = () => {
    throw new Error('there is nothing to map')
  }
  const actions = {
    get_orders: read(orders, page('/orders'), map),
    get_products: read(products, page('/products'), map),
    get_bills: read(bills, page('/bills'), map),
  }
  return defineIntegration<HttpClient>({
    name,
    type: 'wms',
    displayName,
    description: 'A warehouse system',
    install: credentialsForm({
      base_url: urlField('Address', 'Where your server runs'),
      user: { ...textField('User', 'Left out: admin'), optional: true },
      password: secretField('Password', 'Settings, passwords'),
    }),
    connect: (credentials, http) => {
      if (credentials.user === 'breaks the integration') throw new TypeError(`Invalid: ${credentials.password}`)
      return http.at(credentials.base_url!, {
        headers: { 'x-password': encodeURIComponent(credentials.password!) },
        timeoutMs: 250,
      })
    },
    async account(http) {
      const { id, name } = (await http.get('/account')).body
      return { account_id: id, account_name: name }
    },
    actions: Object.fromEntries(Object.entries(actions).filter(([action]) => functions.includes(action))),
  })
}

/** Everything the database holds, as text; bytes as hexadecimal. */
export async function dump(db: Db): Promise<string> {
  const { rows: tables } = await sql<{ name: string }>`
    select quote_ident(tablename) as name from pg_tables where schemaname = 'public'`.execute(db)
  const texts: string[] = []
  for (const { name } of tables) {
    const { rows } = await sql<{ row: string }>`select t::text as row from ${sql.raw(name)} t`.execute(db)
    texts.push(...rows.map(({ row }) => row))
  }
  return texts.join('\n')
}
