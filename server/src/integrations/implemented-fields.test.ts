import assert from 'node:assert/strict'
import { test } from 'node:test'
import { resources } from '../resources/index.ts'
import { inventory } from '../resources/wms/inventory.ts'
import { implementedFields } from './implemented-fields.ts'

test('an outline mirrors the record: objects nested, lists of one element, maps under key', () => {
  const fields = implementedFields({ resource: inventory }) as Record<string, unknown>
  assert.deepEqual(Object.keys(fields), Object.keys(inventory.answer.properties))
  assert.equal(fields.sku, true)
  assert.equal(fields.additional_fields, true)
  assert.deepEqual([fields.substitute_skus, fields.service_tags], [[true], [true]])
  assert.deepEqual(fields.locations, [{ location_id: true, quantity: true, warehouse_id: true }])
  assert.equal((fields.measurements as Record<string, unknown>).weight_unit, true)
  const { key, ...others } = fields.inventory_by_warehouse_id as { key: Record<string, unknown> }
  assert.deepEqual([key.onhand, others], [true, {}])
})

test('what an action omits is false, whole objects and lists leaf by leaf', () => {
  const omits = ['sku', 'locations', 'lots.lot_id', 'inventory_by_warehouse_id.key.sellable', 'substitute_skus']
  const fields = implementedFields({ resource: inventory, omits }) as Record<string, unknown>
  assert.deepEqual([fields.sku, fields.name, fields.substitute_skus], [false, true, [false]])
  assert.deepEqual(fields.locations, [{ location_id: false, quantity: false, warehouse_id: false }])
  assert.deepEqual(fields.lots, [{ lot_id: false, onhand: true, expiration_date: true, warehouse_id: true }])
  const { key } = fields.inventory_by_warehouse_id as { key: Record<string, unknown> }
  assert.deepEqual([key.sellable, key.onhand], [false, true])
})

test('omitting a field that does not exist is a mistake', () => {
  for (const omitted of ['skus', 'lots.id', 'sku.x']) {
    assert.throws(() => implementedFields({ resource: inventory, omits: ['name', omitted] }), /omits unknown fields/)
  }
})

test('every leaf of every resource is true when nothing is omitted', () => {
  const leaves = (value: unknown): unknown[] =>
    typeof value === 'object' ? Object.values(value as object).flatMap(leaves) : [value]
  for (const resource of resources) {
    assert.deepEqual(new Set(leaves(implementedFields({ resource }))), new Set([true]), resource.name)
  }
})
