import { Type } from 'typebox'
import {
  amountOrNull,
  defineResource,
  deprecated,
  hours,
  integer,
  integerOrNull,
  oneOf,
  operators,
  text,
  textOrNull,
  timestampOrNull,
} from '../define.ts'
import { measurements } from '../measurements.ts'

const shipment = Type.Object({
  tracking_number: textOrNull,
  shipped_date: timestampOrNull,
  arrived_date: timestampOrNull,
  warehouse_id: textOrNull,
  carrier: deprecated(textOrNull),
  carrier_id: textOrNull,
  carrier_name: textOrNull,
  scac: textOrNull,
  shipping_cost: amountOrNull,
  measurements,
  line_items: Type.Array(
    Type.Object({
      inventory_item_id: text,
      sku: textOrNull,
      quantity: integer,
      receiving_details: Type.Array(Type.Object({ quantity: integer, condition: textOrNull, disposition: textOrNull })),
    }),
  ),
})

/** Goods sent back by their buyer. */
export const returns = defineResource('wms', 'returns', {
  singular: 'return',
  schedule: hours(1),
  history: 'window',
  tags: true,
  fields: {
    warehouse_customer_id: textOrNull,
    status: oneOf('open', 'in-transit', 'receiving', 'received', 'cancelled', 'other'),
    raw_status: textOrNull,
    order_id: textOrNull,
    notes: Type.Array(text),
    line_items: Type.Array(
      Type.Object({
        inventory_item_id: text,
        sku: textOrNull,
        expected_quantity: integer,
        received_quantity: integer,
        restocked_quantity: integerOrNull,
        return_reason: textOrNull,
        quantity: deprecated(integer),
        warehouse_id: deprecated(textOrNull),
        returned_date: deprecated(timestampOrNull),
      }),
    ),
    shipments: Type.Array(shipment),
    external_system_url: textOrNull,
  },
  filters: { status: operators.text, warehouse_customer_id: operators.text },
})
