import { defineResource, hours, text, textOrNull } from '../define.ts'

/** Merchants whose goods the warehouse keeps. */
export const warehouseCustomers = defineResource('wms', 'warehouse_customers', {
  singular: 'warehouse_customer',
  schedule: hours(12),
  fields: { name: text, email: textOrNull },
})
