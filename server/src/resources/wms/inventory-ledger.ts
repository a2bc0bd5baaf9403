import { defineResource, hours, integer, nullable, oneOf, operators, text, textOrNull, timestamp } from '../define.ts'

/** Movements of stock; an entry never changes once written. */
export const inventoryLedger = defineResource('wms', 'inventory_ledger', {
  singular: 'inventory_ledger',
  path: '/wms/inventory/ledger',
  item: false,
  event: 'inventory_ledger',
  schedule: hours(1),
  history: 'window',
  offByDefault: true,
  fields: {
    // the owner, so that entries can be filtered by it
    warehouse_customer_id: textOrNull,
    entry_date: timestamp,
    inventory_item_id: text,
    sku: text,
    quantity: integer,
    raw_event_type: textOrNull,
    event_type: oneOf(
      'adjustment',
      'return_receipt',
      'inbound_receipt',
      'order_shipment',
      'supplier_return',
      'movement',
      'other',
    ),
    reason: textOrNull,
    object_id: textOrNull,
    object_type: nullable(oneOf('order', 'inbound_shipment', 'return')),
    warehouse_id: textOrNull,
    location_id: textOrNull,
  },
  filters: { warehouse_customer_id: operators.text, event_type: operators.text },
})
