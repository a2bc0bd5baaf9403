import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compileCheck } from '../http/validation.ts'
import { eventTypes } from './event-types.ts'

test('each type has an example that keeps to its schema', () => {
  for (const { event_type, schema, example } of eventTypes) {
    assert.equal(compileCheck(schema)(example), null, event_type)
    assert.equal((example as { event_type: string }).event_type, event_type)
  }
})

test('an example that tells of a change has other values before than after', () => {
  for (const { event_type, example } of eventTypes) {
    const { data, previous_attributes = {} } = example as { data: object; previous_attributes?: object }
    for (const [field, before] of Object.entries(previous_attributes)) {
      assert.notDeepEqual(before, (data as Record<string, unknown>)[field], `${event_type} ${field}`)
    }
  }
})

test('the catalogue names every event of warehouses, connections, their errors and installs', () => {
  const kinds = ['inventory', 'inventory_ledger', 'product', 'order', 'inbound-shipment', 'return', 'bill']
  kinds.push('shipping-method', 'warehouse', 'warehouse-location', 'warehouse-customer', 'labor_activity')
  const expected = [
    ...kinds.flatMap((kind) => [`${kind}.created`, `${kind}.updated`]),
    ...['order.shipment.created', 'inbound-shipment.receipt.created'],
    ...['connection.created', 'connection.deleted', 'connection.historical-sync-completed'],
    ...['connection.force-sync-completed', 'connection.sync-job-completed', 'connection.sync-job-stuck'],
    ...['connection.schedule-stuck', 'install.failed', 'webhook-endpoint.test'],
    ...['connection-error.created', 'connection-error.updated', 'connection-error.deleted'],
  ]
  assert.deepEqual(eventTypes.map((type) => type.event_type).sort(), expected.sort())
})
