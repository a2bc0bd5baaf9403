import type { Static } from 'typebox'
import {
  attachFile,
  cancelOrder,
  createOrder,
  createOrderShipment,
  updateOrder,
} from '../../../resources/wms/writes/orders.ts'
import { measurementPaths } from '../../../resources/written.ts'
import { beside, type Unused } from '../../unused.ts'
import { write } from '../../write.ts'
import { place, type WarehouseClient } from '../client.ts'
import type { WarehouseRequests } from '../requests.ts'
import { choices } from './choices.ts'
import { toBox, toCents, toCentsIfGiven, unusedUnits } from './values.ts'
import { written } from './written.ts'

const head = [
  'reference_id',
  'channel',
  'trading_partner',
  'shipping_method_id',
  'shipping_method',
  'service_level',
  'invoice_currency_code',
  'total_price',
  'total_tax',
  'total_discount',
  'total_shipping',
] as const
const addressee = ['ship_to_address.full_name', 'ship_to_address.company', 'ship_to_address.address2'] as const
const destination = [
  'ship_to_address.address1',
  'ship_to_address.city',
  'ship_to_address.state',
  'ship_to_address.postal_code',
  'ship_to_address.country',
] as const
const lineDetails = ['line_items.sku', 'line_items.unit_price', 'line_items.discount_amount'] as const

/** Packages have tracking numbers of their own; the shipment's is that of those which have the same. */
const onNoPackage: Unused = ({ packages, tracking_number }) =>
  Array.isArray(packages) && !packages.some((each) => each.tracking_number === tracking_number)

export const orderWrites = {
  create_order: write(
    createOrder,
    {
      required: [
        'order_number',
        'ship_to_address',
        ...destination,
        'line_items',
        'line_items.product_id',
        'line_items.quantity',
      ],
      optional: [...head, ...addressee, ...lineDetails],
      choices: { shipping_method_id: choices.serviceIds, shipping_method: choices.serviceTitles },
      unused: { shipping_method: beside('shipping_method_id'), 'line_items.sku': beside('product_id') },
    },
    (warehouse: WarehouseClient, { body, reference }) =>
      warehouse.write<'orders', 'addOrder'>('POST', '/v1/orders', reference, {
        ...orderFields(body),
        number: body.order_number,
        lines: body.line_items.map(toLine),
      }),
    written<'orders'>(),
  ),

  update_order: write(
    updateOrder,
    {
      optional: [
        'order_number',
        'ship_to_address',
        ...destination,
        'line_items',
        'line_items.product_id',
        'line_items.quantity',
        'status',
        ...head,
        ...addressee,
        ...lineDetails,
      ],
      choices: { shipping_method_id: choices.serviceIds, shipping_method: choices.serviceTitles },
      unused: { shipping_method: beside('shipping_method_id'), 'line_items.sku': beside('product_id') },
    },
    (warehouse: WarehouseClient, { id, body, reference }) =>
      warehouse.write<'orders', 'changeOrder'>('PUT', place`/v1/orders/${id}`, reference, {
        ...orderFields(body),
        state: body.status && states[body.status],
      }),
    written<'orders'>(),
  ),

  cancel_order: write(
    cancelOrder,
    {},
    (warehouse: WarehouseClient, { id, reference }) =>
      warehouse.write<'orders'>('POST', place`/v1/orders/${id}/cancellation`, reference),
    written<'orders'>(),
  ),

  create_order_shipment: write(
    createOrderShipment,
    {
      required: [
        'shipped_date',
        'tracking_number',
        'shipping_cost',
        'measurements',
        'warehouse_id',
        'packages.package_id',
        'packages.tracking_number',
        'line_items.sku',
        'line_items.quantity',
      ],
      optional: [
        'tracking_url',
        'carrier_id',
        'carrier',
        'shipping_method_id',
        'shipping_method',
        'packages',
        'line_items',
        ...measurementPaths,
      ],
      choices: {
        warehouse_id: choices.facilities,
        carrier_id: choices.carrierCodes,
        carrier: choices.carrierTitles,
        shipping_method_id: choices.serviceIds,
        shipping_method: choices.serviceTitles,
      },
      unused: {
        carrier: beside('carrier_id'),
        shipping_method: beside('shipping_method_id'),
        tracking_number: onNoPackage,
        tracking_url: onNoPackage,
        ...unusedUnits,
      },
    },
    (warehouse: WarehouseClient, { id, body, reference }) => {
      const { tracking_number: tracking, tracking_url } = body
      return warehouse.write<'orders', 'dispatch'>('POST', place`/v1/orders/${id}/consignments`, reference, {
        facility: body.warehouse_id,
        dispatched: body.shipped_date,
        service: body.shipping_method_id ?? body.shipping_method,
        carrier: body.carrier_id ?? body.carrier,
        cost_cents: toCents(body.shipping_cost),
        box: toBox(body.measurements),
        parcels: body.packages?.map(({ package_id, tracking_number }) => ({
          no: package_id,
          tracking: tracking_number,
          ...(tracking_number === tracking && { tracking_url }),
        })) ?? [{ tracking, tracking_url }],
        lines: body.line_items?.map(({ sku, quantity }) => ({ sku, qty: quantity })),
      })
    },
    written<'orders'>(),
  ),

  attach_file: write(
    attachFile,
    { optional: ['file', 'file_url', 'file_name'] },
    (warehouse: WarehouseClient, { id, body, reference }) =>
      warehouse.write<'orders', 'attach'>('POST', place`/v1/orders/${id}/files`, reference, {
        name: body.file_name ?? 'file',
        address: body.file_url,
        base64: body.file,
      }),
    written<'orders'>(),
  ),
}

type Body = Partial<Omit<Static<(typeof updateOrder)['body']>, 'ship_to_address' | 'line_items'>> & {
  ship_to_address?: Partial<Static<(typeof updateOrder)['body']>['ship_to_address']>
  line_items?: Line[]
}
type Line = Partial<Static<(typeof updateOrder)['body']>['line_items'][number]>

const orderFields = (body: Body): WarehouseRequests['changeOrder'] => ({
  number: body.order_number,
  reference: body.reference_id,
  channel: body.channel,
  buyer: body.trading_partner,
  service: body.shipping_method_id ?? body.shipping_method,
  service_wish: body.service_level,
  currency: body.invoice_currency_code,
  paid_cents: toCentsIfGiven(body.total_price),
  tax_cents: toCentsIfGiven(body.total_tax),
  discount_cents: toCentsIfGiven(body.total_discount),
  shipping_cents: toCentsIfGiven(body.total_shipping),
  ship_to: body.ship_to_address && {
    name: body.ship_to_address.full_name,
    company: body.ship_to_address.company,
    street: body.ship_to_address.address1,
    street2: body.ship_to_address.address2,
    city: body.ship_to_address.city,
    region: body.ship_to_address.state,
    zip: body.ship_to_address.postal_code,
    country: body.ship_to_address.country,
  },
  lines: body.line_items?.map(toLine),
})

const toLine = (line: Line) => ({
  article: line.product_id,
  sku: line.sku,
  qty: line.quantity,
  price_cents: toCentsIfGiven(line.unit_price),
  discount_cents: toCentsIfGiven(line.discount_amount),
})

const states: Record<Static<(typeof updateOrder)['body']>['status'], string> = {
  open: 'NEW',
  confirmed: 'ACCEPTED',
  processing: 'PICKING',
  picked: 'PICKED',
  packed: 'PACKED',
  partially_fulfilled: 'PART_SHIPPED',
  fulfilled: 'SHIPPED',
  backordered: 'BACKORDER',
  exception: 'HELD',
  cancelled: 'CANCELLED',
  other: 'CUSTOMS_REVIEW',
}
