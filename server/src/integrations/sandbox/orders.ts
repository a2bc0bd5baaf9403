import type { SourceRecord } from '../../resources/define.ts'
import type { orders } from '../../resources/wms/orders.ts'
import { toCarrier } from './carriers.ts'
import type { Consignment, Order, Parcel, ParcelContent } from './documents.ts'
import { stamp, toAddress, toContactAddress, toMeasurements, toMoney } from './values.ts'

type UnifiedOrder = SourceRecord<typeof orders>
type UnifiedShipment = NonNullable<UnifiedOrder['shipments']>[number]

export function toOrder(order: Order): UnifiedOrder {
  return {
    ...stamp(order),
    warehouse_customer_id: order.client,
    warehouse_id: order.facility,
    reference_id: order.reference ?? order.id,
    order_number: order.number,
    status: statuses[order.state] ?? 'other',
    raw_status: order.state,
    channel: order.channel.title,
    channel_object: { channel_id: order.channel.id, channel_name: order.channel.title },
    type: types[order.flow] ?? null,
    trading_partner: order.buyer,
    shipping_method: order.service.title,
    service_level: order.service_wish,
    shipping_method_id: order.service.id,
    shipping_method_name: order.service.title,
    carrier_id: order.service.carrier.code,
    carrier_name: order.service.carrier.title,
    scac: order.service.carrier.scac,
    is_third_party_freight: order.freight_account !== null,
    third_party_freight_account_number: order.freight_account,
    invoice_currency_code: order.currency,
    total_price: toMoney(order.paid_cents),
    total_tax: toMoney(order.tax_cents),
    total_discount: toMoney(order.discount_cents),
    total_shipping: toMoney(order.shipping_cents),
    ship_to_address: toContactAddress(order.ship_to),
    line_items: order.lines.map((line) => ({
      product_id: line.article,
      sku: line.sku,
      quantity: line.qty,
      unit_price: toMoney(line.price_cents),
      is_picked: line.picked,
      discount_amount: toMoney(line.discount_cents),
    })),
    tags: order.labels,
    required_ship_date: order.ship_by,
    saturday_delivery: order.saturday,
    signature_required: order.signature,
    international_duty_paid_by: order.duties === null ? null : (duties[order.duties] ?? null),
    shipments: order.consignments.map((consignment) => toShipment(consignment, order)),
    ...(order.files && { additional_fields: { files: order.files } }),
  }
}

function toShipment(consignment: Consignment, order: Order): UnifiedShipment {
  return {
    shipment_id: consignment.no,
    warehouse_id: consignment.facility,
    raw_status: consignment.state,
    status: shipmentStatuses[consignment.state] ?? 'other',
    shipped_date: consignment.dispatched,
    shipping_method: order.service.title,
    line_items: total(consignment.parcels.flatMap((parcel) => parcel.contents)).map((content) => ({
      inventory_item_id: content.stock,
      sku: content.sku,
      quantity: content.qty,
      parent_product_id: content.kit,
    })),
    ship_to_address: toContactAddress(order.ship_to),
    ship_from_address: toAddress(consignment.from),
    packages: consignment.parcels.map(toPackage),
  }
}

function toPackage(parcel: Parcel): NonNullable<UnifiedShipment['packages']>[number] {
  return {
    package_id: parcel.no,
    package_name: parcel.title,
    tracking_number: parcel.tracking,
    tracking_url: parcel.tracking_url,
    shipping_method: parcel.service.title,
    shipping_method_id: parcel.service.id,
    shipping_method_name: parcel.service.title,
    ...toCarrier(parcel.service.carrier),
    shipping_cost: toMoney(parcel.cost_cents),
    measurements: toMeasurements(parcel.box),
    line_items: parcel.contents.map((content) => ({
      inventory_item_id: content.stock,
      sku: content.sku,
      quantity: content.qty,
      lot_id: content.lot,
      expiration_date: content.best_before,
      parent_product_id: content.kit,
    })),
  }
}

/** One line per stock item and kit, over all parcels. */
function total(contents: ParcelContent[]): ParcelContent[] {
  const lines = new Map<string, ParcelContent>()
  for (const content of contents) {
    const key = `${content.stock} ${content.kit}`
    lines.set(key, { ...content, qty: content.qty + (lines.get(key)?.qty ?? 0) })
  }
  return [...lines.values()]
}

const statuses: Record<string, UnifiedOrder['status']> = {
  NEW: 'open',
  ACCEPTED: 'confirmed',
  PICKING: 'processing',
  PICKED: 'picked',
  PACKED: 'packed',
  PART_SHIPPED: 'partially_fulfilled',
  SHIPPED: 'fulfilled',
  BACKORDER: 'backordered',
  HELD: 'exception',
  CANCELLED: 'cancelled',
}

const shipmentStatuses: Record<string, UnifiedShipment['status']> = {
  PREPARED: 'open',
  DISPATCHED: 'shipped',
  VOIDED: 'cancelled',
}

const types: Record<string, NonNullable<UnifiedOrder['type']>> = {
  B2C: 'd2c',
  WHOLESALE: 'b2b',
  DROPSHIP: 'dropship',
  INTERCO: 'transfer',
}

const duties: Record<string, NonNullable<UnifiedOrder['international_duty_paid_by']>> = {
  SENDER: 'sender',
  RECIPIENT: 'recipient',
  THIRD_PARTY: 'third_party',
}
