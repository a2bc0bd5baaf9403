import assert from 'node:assert/strict'
import type { LookupAddress } from 'node:dns'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { after, test } from 'node:test'
import { ApiError } from '../errors.ts'
import { eventually } from '../eventually.fixture.ts'
import { forbiddenHosts } from '../network/forbidden-hosts.fixture.ts'
import { createNetworkGuard } from '../network/guard.ts'
import { emit } from './emit.ts'
import { checkEndpointAddress } from './endpoint-address.ts'
import { deleteEndpoint } from './endpoints.ts'
import { getEvent, listEvents } from './events.ts'
import { openReceiver, openRig, orderUpdated, strictGuard } from './rig.fixture.ts'

const rig = await openRig()
after(rig.closeAll)
const { db, organization } = rig

let reached = 0
const canary = createServer((socket) => {
  reached++
  socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n')
})
canary.listen(0, '::')
await once(canary, 'listening')
after(() => canary.close())
const { port } = canary.address() as AddressInfo

test('no spelling of a forbidden address can be configured, and one that is in the database is never connected to', async (t) => {
  assert.ok(forbiddenHosts.length >= 60)
  const urls = forbiddenHosts.map((host) => `http://${host}:${port}/hooks`)
  for (const url of urls) {
    await assert.rejects(checkEndpointAddress(strictGuard, url), isUrlFault, url)
    const { id } = await rig.endpoint(url)
    t.after(() => deleteEndpoint(db, organization.id, id))
  }
  const delivery = rig.deliver({ guard: strictGuard })
  t.after(delivery.stop)
  await emit(db, rig.source, [orderUpdated('forbidden')])
  const { deliveries } = await tried('forbidden')
  assert.equal(deliveries.length, urls.length)
  for (const { url, attempts } of deliveries) assert.match(attempts[0]!.error!, /not allowed/, url)
  assert.equal(reached, 0)
})

test('a name that leads elsewhere after it was checked is not connected to', async (t) => {
  let leadsTo = '93.184.215.14'
  const guard = createNetworkGuard({
    allowPrivateNetwork: false,
    trustedOrigins: [],
    resolve: async (): Promise<LookupAddress[]> => [{ address: leadsTo, family: 4 }],
  })
  const url = `http://rebinding.example:${port}/`
  await checkEndpointAddress(guard, url)
  const { id } = await rig.endpoint(url)
  t.after(() => deleteEndpoint(db, organization.id, id))
  leadsTo = '127.0.0.1'
  await assert.rejects(checkEndpointAddress(guard, url), isUrlFault)
  const delivery = rig.deliver({ guard })
  t.after(delivery.stop)
  await emit(db, rig.source, [orderUpdated('rebound')])
  const { deliveries } = await tried('rebound')
  assert.match(deliveries[0]!.attempts[0]!.error!, /not allowed/)
  assert.equal(reached, 0)
})

test('no redirect leads to a forbidden address', async (t) => {
  const statuses = [301, 302, 303, 307, 308]
  const receiver = await openReceiver(({ path }, response) => {
    response.writeHead(Number(path.slice(1)), { location: `http://127.0.0.1:${port}/` }).end()
  })
  t.after(receiver.close)
  const guard = createNetworkGuard({ allowPrivateNetwork: false, trustedOrigins: [receiver.url] })
  for (const status of statuses) {
    const { id } = await rig.endpoint(`${receiver.url}/${status}`)
    t.after(() => deleteEndpoint(db, organization.id, id))
  }
  const delivery = rig.deliver({ guard })
  t.after(delivery.stop)
  await emit(db, rig.source, [orderUpdated('redirected')])
  const { deliveries } = await tried('redirected')
  assert.deepEqual(deliveries.map(({ attempts }) => attempts[0]!.status_code).sort(), statuses)
  assert.equal(reached, 0)
})

function isUrlFault(error: unknown) {
  assert.ok(error instanceof ApiError)
  assert.equal(error.status, 422)
  const { json } = error.detail as { json: { url: string[] } }
  return json.url.length === 1
}

/** The event of a record once each of its deliveries was tried. */
async function tried(resourceId: string) {
  const { id } = await eventually(async () => {
    const { events } = await listEvents(db, organization.id, { resource_id: resourceId }, null, 1)
    const [found] = events
    return found?.deliveries.every(({ attempts }) => attempts.length > 0) && found
  })
  return getEvent(db, organization.id, id)
}
