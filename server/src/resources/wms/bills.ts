import { amount, defineResource, hours, operators, text, textOrNull } from '../define.ts'

/** Charges of the warehouse. */
export const bills = defineResource('wms', 'bills', {
  singular: 'bill',
  path: '/wms/billing',
  schedule: hours(1),
  history: 'window',
  offByDefault: true,
  fields: {
    warehouse_customer_id: textOrNull,
    object_id: textOrNull,
    object_type: textOrNull,
    charge_type: text,
    amount,
    currency_code: text,
  },
  filters: { warehouse_customer_id: operators.text },
})
