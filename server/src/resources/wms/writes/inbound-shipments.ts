import { Type } from 'typebox'
import { defineWrite } from '../../define-write.ts'
import { writtenInstant, writtenQuantity, writtenText } from '../../written.ts'
import { inboundShipments } from '../inbound-shipments.ts'

const fields = {
  supplier: writtenText('Name of the supplier', 'Overseas Outdoor Goods Supply'),
  supplier_object: Type.Object({
    supplier_id: writtenText('`id` of the supplier', 'V2'),
    supplier_name: writtenText('Name of the supplier', 'Overseas Outdoor Goods Supply'),
  }),
  purchase_order_number: writtenText('Number of the purchase order', 'PO-2001'),
  expected_arrival_date: writtenInstant('When the goods should arrive'),
  warehouse_id: writtenText('Warehouse they come to', 'F1'),
  tracking_number: writtenText('Of the carrier', '1Z0000000000000001'),
  line_items: Type.Array(
    Type.Object({
      sku: writtenText('SKU of the stock', 'OUT-TEN-SMA'),
      expected_quantity: writtenQuantity('Pieces announced', 24),
    }),
    { minItems: 1, maxItems: 1000, description: 'What is coming' },
  ),
}

export const createInboundShipment = defineWrite({
  action: 'create_inbound_shipment',
  resource: inboundShipments,
  method: 'POST',
  path: '/wms/inbound-shipments',
  summary: 'Announce an inbound shipment',
  tags: true,
  fields,
})

export const updateInboundShipment = defineWrite({
  action: 'update_inbound_shipment',
  resource: inboundShipments,
  method: 'PUT',
  path: '/wms/inbound-shipments/:inbound_shipment_id',
  summary: 'Change an inbound shipment',
  tags: true,
  fields,
})

export const createReceipt = defineWrite({
  action: 'create_receipt',
  resource: inboundShipments,
  method: 'PUT',
  path: '/wms/inbound-shipments/:inbound_shipment_id/receive',
  summary: 'Receive goods of an inbound shipment',
  fields: {
    line_items: Type.Array(
      Type.Object({
        sku: writtenText('SKU of the stock', 'OUT-TEN-SMA'),
        quantity: writtenQuantity('Pieces received', 24),
      }),
      { minItems: 1, maxItems: 1000, description: 'What arrived' },
    ),
    warehouse_location_id: writtenText('Location they are put in', 'F1-P-01'),
    warehouse_id: writtenText('Warehouse they arrived at', 'F1'),
  },
})
