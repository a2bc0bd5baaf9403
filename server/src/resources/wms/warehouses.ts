import { address } from '../address.ts'
import { defineResource, hours, text, textOrNull } from '../define.ts'

export const warehouses = defineResource('wms', 'warehouses', {
  singular: 'warehouse',
  schedule: hours(12),
  tags: true,
  fields: { name: text, code: textOrNull, address },
  filters: { name: ['=', 'eq', 'contains'] },
})
