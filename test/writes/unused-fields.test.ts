import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anOrder } from '../harness/an-order.ts'
import { useSandbox } from '../harness/sandbox.ts'

const { ok } = useSandbox()

const order = (more: object = {}) => ok('POST', '/wms/orders', anOrder(more))

test('a field that another one supersedes is told as unused, wherever it stands in a list', async () => {
  const lines = [
    { product_id: 'A1001', quantity: 1 },
    { product_id: 'A1002', sku: 'OUT-TEN-SMA', quantity: 1 },
  ]
  const both = { shipping_method_id: 'S3', shipping_method: 'UPS Ground' }
  const created = await order({ ...both, line_items: lines })
  assert.deepEqual(created.unused_fields.sort(), ['line_items.sku', 'shipping_method'])
  assert.equal(created.data.shipping_method_name, 'FedEx Home Delivery')
  const changed = await ok('PUT', `/wms/orders/${created.id}`, { ...both, line_items: lines })
  assert.deepEqual(changed.unused_fields.sort(), ['line_items.sku', 'shipping_method'])
})

test('the same field is used, and not told, where nothing supersedes it', async () => {
  const { id, data, unused_fields } = await order({ shipping_method: 'FedEx Home Delivery' })
  assert.deepEqual([data.shipping_method_id, unused_fields], ['S3', []])
  const bySku = await ok('PUT', `/wms/orders/${id}`, { line_items: [{ sku: 'OUT-TEN-MED', quantity: 1 }] })
  assert.deepEqual([bySku.data.line_items[0].sku, bySku.unused_fields], ['OUT-TEN-MED', []])
})

test('a shipment tells which of its own fields its packages leave unused', async () => {
  const shipment = {
    shipped_date: '2026-11-20T08:15:30Z',
    tracking_number: '1Z1',
    tracking_url: 'https://track.example/1Z1',
    shipping_cost: 4.2,
    measurements: { length: 10, unit: 'in', weight_unit: 'lb' },
  }
  const ship = async (more: object) => {
    const { id, data } = await order()
    return ok('POST', `/wms/orders/${id}/shipments`, { ...shipment, warehouse_id: data.warehouse_id, ...more })
  }
  const other = await ship({
    packages: [{ package_id: 'BOX-1', tracking_number: '1Z2' }],
    carrier_id: 'fedex',
    carrier: 'UPS',
    shipping_method_id: 'S3',
    shipping_method: 'UPS Ground',
  })
  assert.deepEqual(other.unused_fields.sort(), [
    'carrier',
    'measurements.weight_unit',
    'shipping_method',
    'tracking_number',
    'tracking_url',
  ])
  for (const packages of [undefined, [{ package_id: 'BOX-1', tracking_number: '1Z1' }]]) {
    const { data, unused_fields } = await ship({ ...(packages && { packages }), carrier: 'FedEx' })
    const [box] = data.shipments[0].packages
    assert.deepEqual([box.tracking_number, box.tracking_url, box.carrier_id], ['1Z1', shipment.tracking_url, 'fedex'])
    assert.deepEqual(unused_fields, ['measurements.weight_unit'])
  }
})

test('a unit without anything measured in it is unused', async () => {
  const product = await ok('POST', '/wms/products', {
    sku: 'U-1',
    name: 'Units',
    measurements: { unit: 'in', weight: 1, weight_unit: 'lb' },
  })
  assert.deepEqual(product.unused_fields, ['measurements.unit'])
})
