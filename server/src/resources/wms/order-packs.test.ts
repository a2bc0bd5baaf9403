import assert from 'node:assert/strict'
import { test } from 'node:test'
import { completer } from '../complete.ts'
import type { SourceRecord } from '../define.ts'
import { packsOf } from './order-packs.ts'
import { orders } from './orders.ts'

const order: SourceRecord<typeof orders> = {
  id: 'o1',
  created_date: '2026-11-20T08:15:30Z',
  updated_date: '2026-11-20T08:15:30Z',
  reference_id: 'r1',
  order_number: '1001',
  status: 'fulfilled',
  invoice_currency_code: 'USD',
  carrier_id: 'ordered',
  ship_to_address: { city: 'Oslo' },
  line_items: [{ product_id: 'p1', sku: 'A', quantity: 2, is_picked: true, unit_price: 3 }],
  shipments: ['k1', 'k2'].map((package_id) => ({
    shipment_id: `s-${package_id}`,
    warehouse_id: 'w1',
    status: 'shipped',
    packages: [
      {
        package_id,
        carrier: `carrier of ${package_id}`,
        carrier_id: `carrier of ${package_id}`,
        scac: `scac of ${package_id}`,
        measurements: { weight: 2, weight_unit: 'kg' },
        line_items: [{ inventory_item_id: 'i1', quantity: 1, lot_id: 'l1' }],
      },
    ],
  })),
}

test('every package of every shipment is a pack', () => {
  const view = packsOf(completer(orders)(order))
  assert.deepEqual(
    view.packs.map(({ pack_id }) => pack_id),
    ['k1', 'k2'],
  )
  assert.deepEqual(view.packs[1]?.line_items, [{ inventory_item_id: 'i1', sku: null, quantity: 1 }])
  assert.equal(view.packs[1]?.measurements.weight, 2)
  assert.deepEqual(view.order_line_items, [{ product_id: 'p1', sku: 'A', quantity: 2 }])
  assert.equal(view.ship_to_address.city, 'Oslo')
})

test('the carrier is the order’s own, else that of its first package', () => {
  const view = packsOf(completer(orders)(order))
  assert.equal(view.carrier_id, 'ordered')
  assert.equal(view.scac, 'scac of k1')
  assert.equal(view.carrier, 'carrier of k1')
  assert.equal(view.carrier_name, null)
})

test('an order that is not packed has no packs', () => {
  const view = packsOf(completer(orders)({ ...order, shipments: [] }))
  assert.deepEqual(view.packs, [])
  assert.equal(view.scac, null)
})
