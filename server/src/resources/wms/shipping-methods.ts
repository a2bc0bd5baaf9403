import { defineResource, deprecated, hours, text, textOrNull } from '../define.ts'

export const shippingMethods = defineResource('wms', 'shipping_methods', {
  singular: 'shipping_method',
  schedule: hours(12),
  fields: {
    name: text,
    carrier: deprecated(textOrNull),
    carrier_id: textOrNull,
    carrier_name: textOrNull,
    scac: textOrNull,
  },
})
