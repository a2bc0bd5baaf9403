import assert from 'node:assert/strict'
import { test } from 'node:test'
import { useSandbox } from '../harness/sandbox.ts'

const sandbox = useSandbox()

const ask = (method: string, path: string, body: unknown) =>
  sandbox.call(method, path, body, { 'x-service-operator-key': sandbox.crossdock.operatorKey })
const sync = (...functions_to_sync: string[]) => ask('POST', '/connections/sync', { functions_to_sync })
const syncWindow = (body: object) =>
  ask('POST', '/connections/on-demand-syncs', {
    start_time: '2026-01-01T00:00:00Z',
    end_time: '2026-01-02T00:00:00Z',
    ...body,
  })

test('no sync can be asked of a function that is switched off, whoever switched it off', async () => {
  await ask('PATCH', '/schedules/disabled-functions', { disabled_functions: ['get_orders'] })
  const { id } = (await ask('GET', '/operator/organizations', undefined)).body.data[0]
  await ask('PATCH', `/operator/organizations/${id}`, { disabled_functions: { wms: ['get_returns'] } })
  for (const name of ['get_orders', 'get_returns']) {
    for (const { status, body } of [await sync('get_products', name), await syncWindow({ function_name: name })]) {
      assert.deepEqual([status, body.error], [403, `${name} is disabled for this connection`])
    }
  }
  assert.equal((await sync()).status, 200)
  await ask('PATCH', '/schedules/disabled-functions', {
    disabled_functions: [],
    enabled_functions: ['get_returns'],
  })
  assert.equal((await sync('get_orders', 'get_returns')).status, 200)
  assert.equal((await syncWindow({ function_name: 'get_orders' })).status, 200)
})

test('a function named twice is synced and told once', async () => {
  const { body } = await sync('get_products', 'get_inventory', 'get_products')
  assert.deepEqual(body, { id: sandbox.id, syncing: true, functions_to_sync: ['get_products', 'get_inventory'] })
})

const listed = async (query = '') => (await ask('GET', `/connections/on-demand-syncs${query}`, undefined)).body

test('on-demand syncs are listed newest first, page by page', async () => {
  const ordered: string[] = []
  for (let i = 0; i < 5; i++) ordered.unshift((await syncWindow({ function_name: 'get_bills' })).body.id)
  const first = await listed('?limit=3')
  const second = await listed(`?limit=3&page_token=${first.next_token}`)
  const ids = [...first.data, ...second.data].map(({ id }: { id: string }) => id)
  assert.deepEqual(ids.slice(0, 5), ordered)
  assert.equal(first.total_count, 3)
  const all = await listed()
  assert.deepEqual(
    ids,
    all.data.slice(0, 6).map(({ id }: { id: string }) => id),
  )
  assert.equal(all.next_token, null)
})

test('a hundred on-demand syncs of a function wait at a time, and those of a sandbox end when it is made anew', async () => {
  const window = { function_name: 'get_inventory_ledger' }
  await ask('PUT', '/sandbox/faults', { faults: [{ function_name: 'get_inventory_ledger', status_code: 500 }] })
  const jobs: string[] = []
  for (let i = 0; i < 100; i++) jobs.push((await syncWindow(window)).body.id)
  const { status, body } = await syncWindow(window)
  assert.deepEqual([status, body.error], [409, 'get_inventory_ledger has 100 open on-demand syncs; let one end first'])
  assert.equal((await syncWindow({ function_name: 'get_returns' })).status, 200)
  assert.equal((await ask('POST', `/connections/on-demand-syncs/${jobs[50]}/cancel`, undefined)).status, 200)
  assert.equal((await syncWindow(window)).status, 200)
  assert.equal((await ask('POST', '/sandbox/generate-sandbox/wms', undefined)).status, 200)
  assert.deepEqual((await listed()).data, [])
})

test('a window that ends before it starts is told beside every other fault', async () => {
  const { status, body } = await syncWindow({ end_time: '2025-01-01T00:00:00Z', function_name: 'get_none', more: 1 })
  assert.equal(status, 422)
  assert.deepEqual(Object.keys(body.detail.json).sort(), ['end_time', 'function_name', 'more'])
  assert.deepEqual(body.detail.json.end_time, ['Must be after start_time.'])
  const odd = await syncWindow({ start_time: 'then', end_time: '2025-01-01T00:00:00Z', function_name: 'get_orders' })
  assert.deepEqual(Object.keys(odd.body.detail.json), ['start_time'])
})

test('the faults a sandbox is to have are told wrong all at once', async () => {
  const { status, body } = await ask('PUT', '/sandbox/faults', {
    faults: [
      { function_name: 'get_none', status_code: 200 },
      { function_name: 'toString', status_code: 500 },
      { function_name: 'get_orders', status_code: 500, times: 0 },
    ],
  })
  assert.equal(status, 422)
  const { faults } = body.detail.json
  assert.deepEqual(
    Object.entries<object>(faults).map(([i, fields]) => [i, Object.keys(fields).sort()]),
    [
      ['0', ['function_name', 'status_code']],
      ['1', ['function_name']],
      ['2', ['times']],
    ],
  )
})
