import {
  defineResource,
  hours,
  integerOrNull,
  nullable,
  oneOf,
  operators,
  text,
  textOrNull,
  timestamp,
  timestampOrNull,
} from '../define.ts'

/** Pieces of work done by a person in a warehouse. */
export const laborActivities = defineResource('wms', 'labor_activities', {
  singular: 'labor_activity',
  event: 'labor_activity',
  schedule: hours(1),
  history: 'window',
  fields: {
    // the owner, so that activities can be filtered by it
    warehouse_customer_id: textOrNull,
    user_id: text,
    user_first_name: textOrNull,
    user_last_name: textOrNull,
    warehouse_id: text,
    activity_type: oneOf('pick', 'pack', 'put_away', 'transfer', 'receive'),
    activity_start_time: timestamp,
    activity_end_time: timestampOrNull,
    associated_object_type: nullable(oneOf('order', 'inbound_shipment', 'return', 'inventory')),
    associated_object_id: textOrNull,
    quantity: integerOrNull,
  },
  filters: {
    warehouse_customer_id: operators.text,
    user_id: operators.exact,
    warehouse_id: operators.exact,
    activity_type: operators.exact,
    associated_object_type: operators.exact,
    associated_object_id: operators.exact,
    activity_start_time: operators.dateOrList,
    activity_end_time: operators.dateOrList,
  },
})
