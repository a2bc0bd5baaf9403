import { fork } from 'node:child_process'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { startEmbeddedPostgres } from '../server/src/db/embedded.ts'
import { temporaryFolder } from '../server/src/db/temporary-folder.fixture.ts'
import { tell } from './tell.ts'
import { load, type Sent, type Way } from './writes/load.ts'
import type { Served } from './writes/server.ts'

/**
 * What a write through Crossdock costs beside the same order put straight into the sandbox's warehouse, both over 32
 * connections. `--seconds` of each round (5), `--rate` requests a second of each way in the paced round (50,
 * the usual limit of a connection)
 */
const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '5' }, rate: { type: 'string', default: '50' } },
})
const connections = 32
const seconds = Number(values.seconds)
const rate = Number(values.rate)

const dataDir = await temporaryFolder('bench-writes')
const postgres = await startEmbeddedPostgres({ dataDir })
const server = fork(fileURLToPath(new URL('./writes/server.ts', import.meta.url)), [postgres.url, dataDir])
try {
  const served = await new Promise<Served>((ready, fail) => {
    server.once('message', (message) => ready(message as Served))
    server.once('exit', () => fail(new Error('The server ended')))
  })
  const direct: Way = { origin: served.warehouse, request: () => straight(served) }
  const through: Way = { origin: served.crossdock, request: () => unified(served) }
  const keyed: Way = { origin: served.crossdock, request: () => withKey(unified(served)) }
  const paced = () => load([direct, through, keyed], { connections, seconds, perSecond: rate })
  const full = async (way: Way) => (await load([way], { connections, seconds, perSecond: null }))[0]!

  for (const way of [direct, through, keyed]) await full(way)
  const [plain, unkeyed, withKeys] = await paced()
  tell(`writes: direct at ${rate}/s, p50 ms`, plain!.p50)
  tell(`writes: through Crossdock at ${rate}/s, p50 ms`, unkeyed!.p50)
  tell('writes: ratio of p50', unkeyed!.p50 / plain!.p50)
  tell('writes: added p50 ms', unkeyed!.p50 - plain!.p50, { atMost: 5 })
  tell('writes: added p50 ms, with an Idempotency-Key', withKeys!.p50 - plain!.p50)
  const most = { direct: await full(direct), through: await full(through), keyed: await full(keyed) }
  tell('writes: direct at full load, requests/s', most.direct.perSecond)
  tell('writes: through Crossdock at full load, requests/s', most.through.perSecond)
  tell('writes: ratio of throughput', most.through.perSecond / most.direct.perSecond)
  tell('writes: the same with an Idempotency-Key', most.keyed.perSecond / most.direct.perSecond)
  tell('writes: added p50 ms at full load', most.through.p50 - most.direct.p50)
} finally {
  if (server.exitCode === null) {
    server.kill('SIGKILL')
    await once(server, 'exit')
  }
  await postgres.stop()
  await rm(dataDir, { recursive: true })
}

function straight({ key }: Served): Sent {
  const body = {
    number: crypto.randomUUID(),
    ship_to: { street: '12 Main Street', city: 'Portland', region: 'OR', zip: '97209', country: 'US' },
    lines: [{ article: anArticle(), qty: 1 }],
  }
  return { path: '/v1/orders', headers: { 'x-warehouse-key': key, 'x-reference': crypto.randomUUID() }, body }
}

function unified({ headers }: Served): Sent {
  const address = { address1: '12 Main Street', city: 'Portland', state: 'OR', postal_code: '97209', country: 'US' }
  const line_items = [{ product_id: anArticle(), quantity: 1 }]
  const body = { order_number: crypto.randomUUID(), ship_to_address: address, line_items }
  return { path: '/wms/orders', headers, body }
}

function withKey({ headers, ...sent }: Sent): Sent {
  return { ...sent, headers: { ...headers, 'idempotency-key': crypto.randomUUID() } }
}

/** One of the first merchant's articles. */
function anArticle(): string {
  return `A${1001 + Math.floor(Math.random() * 18)}`
}
