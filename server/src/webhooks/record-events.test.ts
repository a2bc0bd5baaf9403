import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { orderChannels } from '../resources/wms/order-channels.ts'
import { orders } from '../resources/wms/orders.ts'
import { previousAttributes, recordEvents } from './record-events.ts'

/** What a receiver does with them: the reverse of what is told. */
function apply(changes: Record<string, unknown>, data: object): unknown {
  const record: any = structuredClone(data)
  for (const [path, value] of Object.entries(changes)) {
    const steps = path.split('.')
    const last = steps.pop()!
    const place = steps.reduce((inner, step) => inner[step], record)
    Object.defineProperty(place, last, { value, enumerable: true, configurable: true, writable: true })
  }
  return record
}

const key = fc.oneof(
  fc.constantFrom('status', 'a', 'b', '0', '1', 'a.b', '', '__proto__', 'constructor', 'length'),
  fc.string({ maxLength: 4 }),
)
const { value } = fc.letrec<{ value: unknown; list: unknown[]; map: object }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(null, '', 'open', 'closed', 0, 1, 2.5, true, false),
    tie('list'),
    tie('map'),
  ),
  list: fc.array(tie('value'), { maxLength: 3 }),
  map: fc.dictionary(key, tie('value'), { maxKeys: 3 }),
}))
/** Field names are declared; what stands in them may be anything. */
const record = fc.record({
  id: fc.constant('1'),
  status: fc.constantFrom('open', 'closed'),
  ship_to_address: fc.record({ city: fc.option(fc.string()), country: fc.option(fc.string()) }),
  line_items: fc.array(fc.record({ sku: fc.option(fc.string()), quantity: fc.integer() }), { maxLength: 3 }),
  shipments: fc.array(value, { maxLength: 3 }),
  additional_fields: fc.dictionary(key, value, { maxKeys: 4 }),
})
const asJson = (given: object) => JSON.parse(JSON.stringify(given))

test('applying previous_attributes to data gives the record back as it was', () => {
  fc.assert(
    fc.property(record, record, (first, second) => {
      const [before, after] = [asJson(first), asJson(second)]
      const changes = asJson(previousAttributes(before, after))
      assert.deepEqual(apply(changes, after), before)
    }),
    { numRuns: 5_000 },
  )
})

test('previous_attributes of small changes give the record back, and tell only what changed', () => {
  fc.assert(
    fc.property(record, value, fc.nat(), (given, replacement, at) => {
      const before = asJson(given)
      const after = asJson(given)
      const field = Object.keys(after)[at % Object.keys(after).length]!
      after[field] = replacement
      const changes = previousAttributes(before, after)
      assert.deepEqual(apply(asJson(changes), after), before)
      assert.ok(Object.keys(changes).every((path) => path === field || path.startsWith(`${field}.`)))
    }),
    { numRuns: 2_000 },
  )
})

test('paths are exact: a nested field, a list index, and the bare key of a list that grew', () => {
  const before = {
    status: 'open',
    ship_to_address: { city: 'Bern', country: 'CH' },
    line_items: [{ sku: 'a', is_picked: false }],
    shipments: [],
  }
  const after = {
    status: 'fulfilled',
    ship_to_address: { city: 'Basel', country: 'CH' },
    line_items: [{ sku: 'a', is_picked: true }],
    shipments: [{ shipment_id: 's-1' }],
  }
  assert.deepEqual(previousAttributes(before, after), {
    status: 'open',
    'ship_to_address.city': 'Bern',
    'line_items.0.is_picked': false,
    shipments: [],
  })
})

test('a new shipment is an event of its own beside the update, and both carry the whole order', () => {
  const before = { id: '1', status: 'open', shipments: [] }
  const after = { id: '1', status: 'open', shipments: [{ shipment_id: 's-1' }] }
  const saved = [{ id: '1', before: JSON.stringify(before), after: JSON.stringify(after) }]
  const changed = { resourceId: '1', data: after, previousAttributes: { shipments: [] } }
  assert.deepEqual(recordEvents(orders, saved), [
    { type: 'order.updated', ...changed },
    { type: 'order.shipment.created', ...changed },
  ])
})

test('a record that is new has no previous attributes', () => {
  const saved = [{ id: '1', before: null, after: '{"id":"1"}' }]
  assert.deepEqual(recordEvents(orders, saved), [{ type: 'order.created', resourceId: '1', data: { id: '1' } }])
})

test('lookups have no events', () => {
  assert.deepEqual(recordEvents(orderChannels, [{ id: '1', before: null, after: '{"id":"1"}' }]), [])
})
