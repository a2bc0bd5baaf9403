import { fork } from 'node:child_process'
import { createSecretKey } from 'node:crypto'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pino } from 'pino'
import { Agent, request } from 'undici'
import { startEmbeddedPostgres } from '../server/src/db/embedded.ts'
import { migrate } from '../server/src/db/migrate.ts'
import { openDatabase } from '../server/src/db/open.ts'
import { temporaryFolder } from '../server/src/db/temporary-folder.fixture.ts'
import { createNetworkGuard } from '../server/src/network/guard.ts'
import { createOrganization } from '../server/src/organizations/organizations.ts'
import { Vault } from '../server/src/secrets.ts'
import { startDelivery } from '../server/src/webhooks/delivery.ts'
import { type EventSource, emit } from '../server/src/webhooks/emit.ts'
import { createEndpoint } from '../server/src/webhooks/endpoints.ts'
import { signedHeaders } from '../server/src/webhooks/signature.ts'
import { tell } from './tell.ts'

const endpoints = 100
const burst = 20_000
const singles = 300
const waiting = 1_000_000
const rounds = 3

/** Takes everything in a process of its own; tells what came when, and each time another burst is complete. */
function receive() {
  let taken = 0
  const server = createServer((message, response) => {
    const at = performance.timeOrigin + performance.now()
    const id = message.headers['x-single'] ?? message.headers['webhook-id']
    message.resume().on('end', () => {
      response.end()
      taken++
      if (!watching) process.send!({ id, at })
      else if (taken === burst) process.send!({ id: 'burst', at })
    })
  })
  let watching = false
  process.on('message', (watch: boolean) => {
    watching = watch
    taken = 0
    process.send!({ id: 'ready', at: 0 })
  })
  server.keepAliveTimeout = 60_000
  server.listen(0, '127.0.0.1', () => process.send!({ id: 'port', at: (server.address() as AddressInfo).port }))
}

async function measure() {
  const receiver = fork(new URL(import.meta.url), ['receiver'])
  const [{ at: port }] = (await once(receiver, 'message')) as [{ at: number }]
  const address = `http://127.0.0.1:${port}`
  const told = (id?: string) =>
    new Promise<number>((resolve) => {
      const listen = (message: { id: string; at: number }) => {
        if (id !== undefined && message.id !== id) return
        receiver.off('message', listen)
        resolve(message.at)
      }
      receiver.on('message', listen)
    })
  const watch = async (bursts: boolean) => {
    receiver.send(bursts)
    await told('ready')
  }
  const now = () => performance.timeOrigin + performance.now()

  const dataDir = await temporaryFolder('bench')
  const postgres = await startEmbeddedPostgres({ dataDir })
  const { db, pool, close } = openDatabase(postgres.url, 6)
  await migrate(db, [])
  const vault = new Vault([Buffer.alloc(32)])
  const { organization } = await createOrganization(db, 'Bench')
  for (let i = 0; i < endpoints; i++) {
    await createEndpoint(db, vault, organization.id, { url: `${address}/${i}`, description: '', event_types: [] })
  }
  const source: EventSource = {
    organizationId: organization.id,
    connectionId: crypto.randomUUID(),
    customerId: null,
    integrationName: 'bench',
    integrationType: 'wms',
    webhooksDisabled: false,
  }
  const data = { id: '1', text: 'x'.repeat(900) }
  const event = { type: 'order.updated', resourceId: '1', data }
  const deliver = () =>
    startDelivery({
      db,
      url: postgres.url,
      vault,
      guard: createNetworkGuard({ allowPrivateNetwork: true, trustedOrigins: [] }),
      log: pino({ level: 'warn' }),
      publicUrl: address,
      openAccessToken: async () => null,
      limits: { perEndpointPerSecond: burst },
    })

  /** Posts the bytes of one message again and again. */
  async function rawBurst() {
    const agent = new Agent()
    await watch(true)
    const begun = now()
    const ended = told('burst')
    let left = burst
    const body = JSON.stringify({ connection_id: source.connectionId, event_type: event.type, data })
    const key = createSecretKey(Buffer.alloc(32))
    const headers = {
      'content-type': 'application/json',
      ...signedHeaders(crypto.randomUUID(), new Date(), body, [key]),
    }
    const loop = async (i: number) => {
      while (left-- > 0) {
        const answer = await request(`${address}/${i}`, { method: 'POST', body, headers, dispatcher: agent })
        await answer.body.dump()
      }
    }
    await Promise.all(Array.from({ length: endpoints }, (_, i) => loop(i)))
    const perSecond = (burst / ((await ended) - begun)) * 1000
    await agent.close()
    return perSecond
  }

  async function deliveredBurst() {
    await emit(
      db,
      source,
      Array.from({ length: burst / endpoints }, () => event),
    )
    await watch(true)
    const begun = now()
    const ended = told('burst')
    const delivery = deliver()
    const perSecond = (burst / ((await ended) - begun)) * 1000
    await delivery.stop()
    return perSecond
  }

  async function rawSingles() {
    const agent = new Agent()
    await watch(false)
    const took: number[] = []
    for (let i = 0; i < singles; i++) {
      const begun = now()
      const arrived = told(`${i}`)
      const headers = { 'content-type': 'application/json', 'x-single': `${i}` }
      const answer = await request(address, { method: 'POST', body: JSON.stringify(data), headers, dispatcher: agent })
      await answer.body.dump()
      took.push((await arrived) - begun)
    }
    await agent.close()
    return percentiles(took)
  }

  async function deliveredSingles() {
    await pool.query("update webhook_endpoints set event_types = '{none}' where url not like '%/0'")
    await watch(false)
    const delivery = deliver()
    const took: number[] = []
    for (let i = 0; i < singles; i++) {
      const begun = now()
      const arrived = told()
      await emit(db, source, [event])
      took.push((await arrived) - begun)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    await delivery.stop()
    await pool.query("update webhook_endpoints set event_types = '{}'")
    return percentiles(took)
  }

  /** Medians of rounds in turn, so that whatever else the machine does meets both alike. */
  async function throughput() {
    const raw: number[] = []
    const delivered: number[] = []
    for (let i = 0; i < rounds; i++) {
      raw.push(await rawBurst())
      delivered.push(await deliveredBurst())
    }
    return { raw: median(raw), delivered: median(delivered) }
  }

  async function loadWaitingRetries() {
    const attempts = [
      { attempted_at: '', status_code: 503, error: 'Answered 503', answer: 'x'.repeat(200), duration_ms: 3 },
    ]
    await pool.query(
      `insert into webhook_deliveries (event_id, endpoint_id, due_at, tries, first_tried_at, attempts)
       select gen_random_uuid(), e.id, now() + interval '1 hour' + random() * interval '23 hours', 3, now(), $1
       from webhook_endpoints e cross join generate_series(1, $2)`,
      [JSON.stringify(attempts), waiting / endpoints],
    )
    await pool.query('vacuum analyze webhook_deliveries')
    await pool.query('checkpoint')
  }

  const rawSingle = await rawSingles()
  const print = async (name: string) => {
    const { raw, delivered } = await throughput()
    const single = await deliveredSingles()
    tell(`${name}: raw posts/s to ${endpoints} endpoints`, raw)
    tell(`${name}: deliveries/s to ${endpoints} endpoints`, delivered)
    tell(`${name}: ratio of throughput`, delivered / raw)
    for (const share of ['p50', 'p99'] as const) {
      tell(`${name}: raw post ${share} ms`, rawSingle[share])
      tell(`${name}: commit to receiver ${share} ms`, single[share])
      tell(`${name}: ratio of ${share}`, single[share] / rawSingle[share])
    }
  }
  await throughput()
  await print('webhooks')
  await loadWaitingRetries()
  await print(`webhooks beside ${waiting} retries`)

  receiver.kill()
  await close()
  await postgres.stop()
  await rm(dataDir, { recursive: true, force: true })
}

function percentiles(took: number[]) {
  const sorted = took.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.floor(sorted.length * share)]!
  return { p50: at(0.5), p99: at(0.99) }
}

const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!

if (process.argv[2] === 'receiver') receive()
else await measure()
