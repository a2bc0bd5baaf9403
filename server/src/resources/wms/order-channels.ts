import { defineResource, hours, operators, textOrNull } from '../define.ts'

/** Where orders come from; looked up to make sense of an order's channel. */
export const orderChannels = defineResource('wms', 'order_channels', {
  singular: 'order_channel',
  path: '/wms/orders/channels',
  item: false,
  event: null,
  schedule: hours(12),
  fields: { name: textOrNull, warehouse_customer_id: textOrNull },
  filters: { warehouse_customer_id: operators.text },
})
