import type { SourceRecord } from '../../resources/define.ts'
import type { inboundShipments } from '../../resources/wms/inbound-shipments.ts'
import type { Asn } from './documents.ts'
import { stamp, toAddress, toMoney } from './values.ts'

type InboundShipment = SourceRecord<typeof inboundShipments>

export function toInboundShipment(asn: Asn): InboundShipment {
  return {
    ...stamp(asn),
    warehouse_customer_id: asn.client,
    purchase_order_number: asn.po_number,
    status: statuses[asn.state] ?? 'other',
    raw_status: asn.state,
    supplier: asn.vendor.title,
    supplier_object: { supplier_id: asn.vendor.id, supplier_name: asn.vendor.title },
    expected_arrival_date: asn.eta,
    warehouse_id: asn.facility,
    line_items: asn.lines.map((line) => ({
      inventory_item_id: line.stock,
      sku: line.sku,
      expected_quantity: line.announced,
      received_quantity: line.received,
      unit_cost: toMoney(line.cost_cents),
      external_id: line.vendor_code,
    })),
    receipts: asn.receipts.map((receipt) => ({
      id: receipt.no,
      arrived_date: receipt.at,
      line_items: receipt.lines.map(({ stock, sku, qty }) => ({ inventory_item_id: stock, sku, quantity: qty })),
    })),
    ship_from_address: toAddress(asn.origin),
    tracking_numbers: asn.trackings,
    notes: asn.remarks,
  }
}

const statuses: Record<string, InboundShipment['status']> = {
  ANNOUNCED: 'open',
  IN_TRANSIT: 'in-transit',
  UNLOADING: 'receiving',
  BOOKED: 'received',
  CANCELLED: 'cancelled',
}
