import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startInstallation } from './installation.fixture.ts'

let direct: Awaited<ReturnType<typeof startInstallation>>
let proxied: Awaited<ReturnType<typeof startInstallation>>
before(async () => {
  direct = await startInstallation()
  proxied = await startInstallation({ trustedProxies: ['10.1.0.0/16', '::1'] })
})
after(async () => {
  await direct?.stop()
  await proxied?.stop()
})

/** What that many tries are answered, each with a link of its own. */
async function tries(house: typeof direct, count: number, from: string, forwardedFor: (index: number) => string) {
  const statuses: number[] = []
  for (let index = 0; index < count; index++) {
    const { link_token } = (await house.ours.post('/link/token')).body
    const page = house.page(link_token, from, forwardedFor(index))
    statuses.push((await page.install({ integration_name: 'acme-wms', credentials: {} })).status)
  }
  return statuses
}

test('behind a trusted proxy each client is throttled alone', async () => {
  assert.deepEqual(await tries(proxied, 31, '10.1.0.1', () => '203.0.113.7'), [...Array(30).fill(422), 429])
  assert.deepEqual(await tries(proxied, 1, '10.1.0.1', () => '203.0.113.8'), [422])
  const made = await tries(proxied, 1, '::1', () => '198.51.100.1, 203.0.113.7, 10.1.0.2')
  assert.deepEqual(made, [429], 'what a client says of itself changes nothing')
})

test('what anybody else says of where a request came from is ignored', async () => {
  for (const house of [direct, proxied]) {
    const statuses = await tries(house, 31, '203.0.113.9', (index) => `198.51.100.${index}`)
    assert.deepEqual(statuses, [...Array(30).fill(422), 429])
  }
})
