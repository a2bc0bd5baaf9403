import { Type } from 'typebox'
import { address } from '../address.ts'
import {
  amountOrNull,
  defineResource,
  deprecated,
  hours,
  integer,
  oneOf,
  operators,
  text,
  textOrNull,
  timestamp,
  timestampOrNull,
} from '../define.ts'
import { supplier } from './supplier.ts'

/** Goods announced to a warehouse, and what arrived of them. */
export const inboundShipments = defineResource('wms', 'inbound_shipments', {
  singular: 'inbound_shipment',
  schedule: hours(1),
  history: 'window',
  tags: true,
  growth: { receipts: 'inbound-shipment.receipt.created' },
  fields: {
    warehouse_customer_id: textOrNull,
    purchase_order_number: textOrNull,
    status: oneOf('open', 'in-transit', 'receiving', 'received', 'cancelled', 'other'),
    raw_status: textOrNull,
    supplier: deprecated(textOrNull),
    supplier_object: supplier,
    expected_arrival_date: timestampOrNull,
    warehouse_id: textOrNull,
    line_items: Type.Array(
      Type.Object({
        inventory_item_id: text,
        sku: textOrNull,
        expected_quantity: integer,
        received_quantity: integer,
        unit_cost: amountOrNull,
        external_id: textOrNull,
      }),
    ),
    receipts: Type.Array(
      Type.Object({
        id: text,
        arrived_date: timestamp,
        line_items: Type.Array(Type.Object({ inventory_item_id: text, sku: textOrNull, quantity: integer })),
      }),
    ),
    ship_from_address: address,
    tracking_numbers: Type.Array(text),
    notes: Type.Array(text),
    external_system_url: textOrNull,
  },
  filters: {
    status: operators.text,
    warehouse_customer_id: operators.text,
    warehouse_id: ['=', 'eq', 'contains', 'not_contains'],
    expected_arrival_date: operators.date,
    purchase_order_number: operators.text,
  },
})
