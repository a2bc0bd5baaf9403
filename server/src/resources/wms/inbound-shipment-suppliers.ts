import { defineResource, hours, operators, textOrNull } from '../define.ts'

/** Who inbound shipments come from; looked up to make sense of an inbound shipment's supplier. */
export const inboundShipmentSuppliers = defineResource('wms', 'inbound_shipment_suppliers', {
  singular: 'inbound_shipment_supplier',
  path: '/wms/inbound-shipments/suppliers',
  item: false,
  event: null,
  schedule: hours(12),
  fields: { name: textOrNull, warehouse_customer_id: textOrNull },
  filters: { warehouse_customer_id: operators.text },
})
