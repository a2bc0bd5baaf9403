import {
  createInboundShipment,
  createReceipt,
  updateInboundShipment,
} from '../../../resources/wms/writes/inbound-shipments.ts'
import { write } from '../../write.ts'
import { place, type WarehouseClient } from '../client.ts'
import { choices } from './choices.ts'
import { written } from './written.ts'

export const inboundShipmentWrites = {
  create_inbound_shipment: write(
    createInboundShipment,
    {
      required: [
        'supplier',
        'purchase_order_number',
        'expected_arrival_date',
        'warehouse_id',
        'tracking_number',
        'line_items',
        'line_items.sku',
        'line_items.expected_quantity',
      ],
      choices: { warehouse_id: choices.facilities },
    },
    (warehouse: WarehouseClient, { body, reference }) =>
      warehouse.write<'asns', 'addAsn'>('POST', '/v1/asns', reference, {
        vendor: body.supplier,
        po_number: body.purchase_order_number,
        eta: body.expected_arrival_date,
        facility: body.warehouse_id,
        tracking: body.tracking_number,
        lines: body.line_items.map(({ sku, expected_quantity }) => ({ sku, qty: expected_quantity })),
      }),
    written<'asns'>(),
  ),

  update_inbound_shipment: write(
    updateInboundShipment,
    {
      required: ['line_items.sku', 'line_items.expected_quantity'],
      optional: [
        'supplier',
        'purchase_order_number',
        'expected_arrival_date',
        'warehouse_id',
        'tracking_number',
        'line_items',
      ],
      choices: { warehouse_id: choices.facilities },
    },
    (warehouse: WarehouseClient, { id, body, reference }) =>
      warehouse.write<'asns', 'changeAsn'>('PUT', place`/v1/asns/${id}`, reference, {
        vendor: body.supplier,
        po_number: body.purchase_order_number,
        eta: body.expected_arrival_date,
        facility: body.warehouse_id,
        tracking: body.tracking_number,
        lines: body.line_items?.map(({ sku, expected_quantity }) => ({ sku, qty: expected_quantity })),
      }),
    written<'asns'>(),
  ),

  create_receipt: write(
    createReceipt,
    {
      required: ['line_items', 'line_items.sku', 'line_items.quantity', 'warehouse_location_id'],
      choices: { warehouse_location_id: choices.slots },
    },
    (warehouse: WarehouseClient, { id, body, reference }) =>
      warehouse.write<'asns', 'receive'>('POST', place`/v1/asns/${id}/receipts`, reference, {
        slot: body.warehouse_location_id,
        lines: body.line_items.map(({ sku, quantity }) => ({ sku, qty: quantity })),
      }),
    written<'asns'>(),
  ),
}
