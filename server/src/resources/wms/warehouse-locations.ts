import { defineResource, hours, operators, text, textOrNull } from '../define.ts'
import { measurements } from '../measurements.ts'

/** Places inside a warehouse, listed warehouse by warehouse. */
export const warehouseLocations = defineResource('wms', 'warehouse_locations', {
  singular: 'warehouse_location',
  path: '/wms/warehouses/:warehouse_id/locations',
  itemParameter: 'location_id',
  schedule: hours(12),
  fields: { name: textOrNull, warehouse_id: text, type: textOrNull, measurements },
  filters: { type: operators.text },
})
