import { Type } from 'typebox'
import { defineWrite } from '../../define-write.ts'
import {
  writtenAddress,
  writtenAmount,
  writtenChoice,
  writtenInstant,
  writtenMeasurements,
  writtenQuantity,
  writtenText,
} from '../../written.ts'
import { orders } from '../orders.ts'

const shipTo = Type.Object(
  {
    full_name: writtenText('Who receives the goods', 'Recipient 7'),
    company: writtenText('Company of the recipient', 'Retail Store 7'),
    address1: writtenText('Street and number', '12 Main Street'),
    address2: writtenText('Second line of the address', 'Unit 4'),
    city: writtenText('City', 'Portland'),
    state: writtenText('State or region', 'OR'),
    postal_code: writtenText('Postal code', '97209'),
    country: writtenText('Country code', 'US'),
  },
  { description: 'Where the goods go' },
)

const lineItems = Type.Array(
  Type.Object({
    product_id: writtenText('`id` of the product', 'A1001'),
    sku: writtenText('SKU of the product', 'OUT-TEN-SMA'),
    quantity: writtenQuantity('Pieces ordered', 2),
    unit_price: writtenAmount('Price of one piece', 19.99),
    discount_amount: writtenAmount('Discount on one piece', 1.5),
  }),
  { minItems: 1, maxItems: 1000, description: 'What is ordered' },
)

const fields = {
  warehouse_customer_id: writtenText('Merchant whose goods are ordered', 'C1'),
  reference_id: writtenText('Identifier in your own system', 'WEB-10000001'),
  order_number: writtenText('Number people know the order by', '1001'),
  channel: writtenText('Where the order was placed', 'Web Shop'),
  channel_object: Type.Object({
    channel_id: writtenText('`id` of the channel', 'C1-web-shop'),
    channel_name: writtenText('Name of the channel', 'Web Shop'),
  }),
  trading_partner: writtenText('Retailer that buys', 'Retail Chain 1'),
  shipping_method_id: writtenText('`id` of the shipping method', 'S1'),
  shipping_method: writtenText('Name of the shipping method', 'UPS Ground'),
  service_level: writtenText('Shipping as the buyer asked for it', 'Express'),
  invoice_currency_code: Type.String({
    pattern: '^[A-Z]{3}$',
    errorMessage: 'Must be three capital letters.',
    description: 'ISO 4217 code',
    example: 'USD',
  }),
  total_price: writtenAmount('Paid by the buyer', 49.97),
  total_tax: writtenAmount('Tax in it', 3.7),
  total_discount: writtenAmount('Discount on all pieces', 3),
  total_shipping: writtenAmount('Shipping in it', 5.99),
  ship_to_address: shipTo,
  line_items: lineItems,
}

export const createOrder = defineWrite({
  action: 'create_order',
  resource: orders,
  method: 'POST',
  path: '/wms/orders',
  summary: 'Create an order',
  tags: true,
  fields,
})

export const updateOrder = defineWrite({
  action: 'update_order',
  resource: orders,
  method: 'PUT',
  path: '/wms/orders/:order_id',
  summary: 'Change an order',
  tags: true,
  fields: {
    ...fields,
    status: writtenChoice(
      'Moves the order on',
      'open',
      'confirmed',
      'processing',
      'picked',
      'packed',
      'partially_fulfilled',
      'fulfilled',
      'backordered',
      'exception',
      'cancelled',
      'other',
    ),
  },
})

export const cancelOrder = defineWrite({
  action: 'cancel_order',
  resource: orders,
  method: 'PUT',
  path: '/wms/orders/:order_id/cancel',
  summary: 'Cancel an order',
})

export const createOrderShipment = defineWrite({
  action: 'create_order_shipment',
  resource: orders,
  method: 'POST',
  path: '/wms/orders/:order_id/shipments',
  summary: 'Ship an order, or a part of it',
  fields: {
    shipped_date: writtenInstant('When the goods left'),
    tracking_number: writtenText('Of the carrier', '1Z0000000000000001'),
    tracking_url: writtenText('Where the shipment can be followed', 'https://www.ups.com/track?tracknum=1Z1'),
    carrier_id: writtenText('`carrier_id` of a shipping method', 'ups'),
    carrier: writtenText('Name of the carrier', 'UPS'),
    shipping_method_id: writtenText('`id` of the shipping method', 'S1'),
    shipping_method: writtenText('Name of the shipping method', 'UPS Ground'),
    shipping_cost: writtenAmount('Paid for the transport', 8.4),
    measurements: writtenMeasurements,
    warehouse_id: writtenText('Warehouse the goods leave', 'F1'),
    packages: Type.Array(
      Type.Object({
        package_id: writtenText('Your number of the package', 'BOX-1'),
        tracking_number: writtenText('Of the carrier', '1Z0000000000000001'),
      }),
      { minItems: 1, maxItems: 100, description: 'What it is packed in; one package without' },
    ),
    line_items: Type.Array(
      Type.Object({
        sku: writtenText('SKU as ordered', 'OUT-TEN-SMA'),
        quantity: writtenQuantity('Pieces shipped'),
      }),
      { minItems: 1, maxItems: 1000, description: 'What is shipped; all that is left without' },
    ),
  },
})

export const attachFile = defineWrite({
  action: 'attach_file',
  resource: orders,
  method: 'POST',
  path: '/wms/orders/:order_id/file',
  summary: 'Attach a file to an order',
  multipart: true,
  fields: {
    file: Type.String({
      minLength: 1,
      maxBytes: 20 * 1024 * 1024,
      format: 'binary',
      contentMediaType: 'application/octet-stream',
      description: 'The file itself, up to 20 MiB',
    }),
    file_url: writtenAddress('Where the file can be had', 'https://files.example/label.pdf'),
    file_name: writtenText('What to call it', 'label.pdf'),
  },
  rules: { anyOf: [{ required: ['file'] }, { required: ['file_url'] }] },
})
