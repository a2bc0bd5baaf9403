import assert from 'node:assert/strict'
import { test } from 'node:test'
import { useSandbox } from '../harness/sandbox.ts'

const { ok } = useSandbox()

test('the labels a record has already change nothing and are told to nobody', async () => {
  const [order] = (await ok('GET', '/wms/orders?limit=1')).data
  const put = (...service_tags: unknown[]) => ok('PUT', `/wms/orders/${order.id}/service-tags`, { service_tags })
  const told = async () => (await ok('GET', `/webhook-events?resource_id=${order.id}`)).data.length
  assert.deepEqual((await put()).data, order)
  assert.equal(await told(), 0)

  const labelled = await put('a', { b: 'c' })
  assert.deepEqual(labelled.data.service_tags, ['a', { b: 'c' }])
  assert.equal(await told(), 1)
  assert.deepEqual(await put('a', { b: 'c' }), labelled)
  assert.deepEqual((await ok('GET', `/wms/orders/${order.id}`)).data, labelled.data)
  assert.equal(await told(), 1)

  await put({ b: 'c' }, 'a')
  assert.equal(await told(), 2)
})
