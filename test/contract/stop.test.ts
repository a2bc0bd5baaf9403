import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { cleanUp } from '../../server/src/clean-up.fixture.ts'
import { startEmbeddedPostgres } from '../../server/src/db/embedded.ts'
import { openDatabase } from '../../server/src/db/open.ts'
import { makeFolder } from '../../server/src/db/temporary-folder.fixture.ts'
import { eventually } from '../../server/src/eventually.fixture.ts'
import {
  credentialsForm,
  defineIntegration,
  type Page,
  read,
  secretField,
} from '../../server/src/integrations/define.ts'
import type { HttpClient } from '../../server/src/integrations/http.ts'
import { orders } from '../../server/src/resources/wms/orders.ts'
import { startTestCrossdock, syncedSandbox } from '../harness/crossdock.ts'
import { runProduct, startProduct } from '../harness/product.ts'

const noLimit = { RATE_LIMIT_READ_PER_SECOND: '0', RATE_LIMIT_WRITE_PER_SECOND: '0' }

test('SIGTERM under load, through npm, breaks no request, loses no count and ends with 0', async (t) => {
  const DATA_DIR = await makeFolder(t)
  const first = await startProduct(t, 'start', { through: 'npm', env: { DATA_DIR, ...noLimit } })
  const { id, token } = await syncedSandbox(first)
  let answered = 0
  const broken: unknown[] = []
  const caller = async () => {
    while (true) {
      try {
        const { status } = await first.call('GET', '/wms/orders', { token })
        if (status === 200) answered++
        else broken.push(status)
        if (answered === 100) first.child.kill('SIGTERM')
      } catch (error) {
        const { code } = (error as Error).cause as { code?: string }
        // a connection that is refused never was a request; an idle one may be closed as the next request sets out
        if (code !== 'ECONNREFUSED' && code !== 'UND_ERR_SOCKET' && code !== 'ECONNRESET') broken.push(error)
        return
      }
    }
  }
  await Promise.all(Array.from({ length: 16 }, caller))
  assert.deepEqual(broken, [])
  assert.equal(await first.exited, 0)

  const second = await startProduct(t, 'start', { env: { DATA_DIR } })
  const headers = { 'x-service-api-key': first.apiKey }
  const { body } = await second.call('GET', `/connections/${id}`, { headers })
  assert.equal(body.data[0].times_used, answered)
})

test('SIGTERM while starting ends with 0 and leaves a database that starts', async (t) => {
  const DATA_DIR = await makeFolder(t)
  const first = runProduct(t, 'start', { env: { DATA_DIR, LOG_LEVEL: 'info' } })
  await first.says('Creating a PostgreSQL cluster')
  first.child.kill('SIGTERM')
  assert.equal(await first.exited, 0)
  const second = await startProduct(t, 'start', { env: { DATA_DIR } })
  assert.equal((await second.call('GET', '/health')).status, 200)
})

test('after kill -9 of everything the next start has all data', async (t) => {
  const DATA_DIR = await makeFolder(t)
  const first = await startProduct(t, 'start', { env: { DATA_DIR, ...noLimit } })
  const { id, token } = await syncedSandbox(first)
  const before = await first.call('GET', '/wms/orders', { token })
  first.child.kill('SIGKILL')
  process.kill(postmasterOf(DATA_DIR), 'SIGKILL')
  await first.exited
  const second = await startProduct(t, 'start', { env: { DATA_DIR } })
  const headers = { 'x-service-api-key': first.apiKey }
  assert.deepEqual((await second.call('GET', '/wms/orders', { token, headers })).body, before.body)
  assert.equal((await second.call('GET', `/connections/${id}`, { headers })).status, 200)
})

test('an embedded database that is killed is started again, and everything goes on', async (t) => {
  const DATA_DIR = await makeFolder(t)
  const product = await startProduct(t, 'start', { env: { DATA_DIR } })
  const killed = postmasterOf(DATA_DIR)
  process.kill(killed, 'SIGKILL')
  await product.says('PostgreSQL ended by itself (SIGKILL)')
  await eventually(async () => {
    const { status, body } = await product.call('GET', '/health')
    if (status === 503) assert.match(body.error, /^The database (cannot be reached|does not answer)$/)
    return status === 200
  })
  assert.notEqual(postmasterOf(DATA_DIR), killed)
  assert.equal((await product.call('GET', '/connections')).status, 200)
  product.child.kill('SIGTERM')
  assert.equal(await product.exited, 0)
})

test('third parties that hang keep neither a request nor a crawl from ending: it is answered, and due for the next worker', async (t) => {
  const slow = await startSlowSystem()
  cleanUp(t, slow.stop)
  const postgres = await startEmbeddedPostgres({ dataDir: await makeFolder(t) })
  cleanUp(t, postgres.stop)
  const crossdock = await startTestCrossdock({ databaseUrl: postgres.url }, { integrations: [slowWms(slow.origin)] })
  let stopping: Promise<void> | undefined
  const stop = () => (stopping ??= crossdock.stop())
  cleanUp(t, stop)
  const install = async () => {
    const { link_token } = (await crossdock.call('POST', '/link/token')).body
    return crossdock.call('POST', '/link/install', {
      headers: { 'x-service-link-token': link_token },
      body: { integration_name: 'slow-wms', credentials: { api_key: 'secret' } },
    })
  }
  assert.equal((await install()).status, 200)
  const id: string = (await crossdock.call('GET', '/connections')).body.data[0].connection_id
  await eventually(async () => {
    const { data } = (await crossdock.call('GET', `/connections/${id}`)).body
    return data[0].sync_schedules[0].last_crawl_end
  })

  const hung = slow.hang(2)
  const { db, close } = openDatabase(postgres.url, 1)
  cleanUp(t, close)
  await db.updateTable('schedules').set({ due_at: new Date() }).where('connection_id', '=', id).execute()
  const asked = install()
  await hung
  await stop()
  const answer = await asked
  assert.ok(answer.status >= 500, `answered ${answer.status}`)
  const schedule = await db.selectFrom('schedules').selectAll().executeTakeFirstOrThrow()
  assert.equal(schedule.running, false)
  assert.equal(schedule.failures, 0)
  assert.ok(schedule.due_at && schedule.due_at <= new Date())
})

const postmasterOf = (dataDir: string) =>
  Number(readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n', 1)[0])

/** Answers everything with an empty page, until it is told to hang. */
async function startSlowSystem() {
  let waiting: (() => void) | undefined
  const server = createServer((_request, response) => {
    if (waiting) waiting()
    else response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Resolves when so many requests hang. */
    hang: (count: number) =>
      new Promise<void>((resolve) => {
        let left = count
        waiting = () => {
          left--
          if (left === 0) resolve()
        }
      }),
    stop() {
      server.close()
      server.closeAllConnections()
    },
  }
}

const slowWms = (origin: string) =>
  defineIntegration<HttpClient>({
    name: 'slow-wms',
    type: 'wms',
    displayName: 'Slow WMS',
    description: 'A warehouse system for this test.',
    install: credentialsForm({ api_key: secretField('API key', 'Any') }),
    connect: async (_credentials, http) => http.at(origin),
    async account(client) {
      await client.get('/account')
      return { account_id: 'slow', account_name: 'Slow' }
    },
    actions: {
      get_orders: read(
        orders,
        async (client): Promise<Page<never>> => {
          await client.get('/orders')
          return { items: [], next: null }
        },
        (never) => never,
      ),
    },
  })
