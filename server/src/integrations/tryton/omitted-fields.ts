/** Fields of the unified records that Tryton's stock modules know nothing of. */
export const inboundShipments = [
  'warehouse_customer_id',
  'line_items.external_id',
  'tracking_numbers',
  'notes',
  'external_system_url',
]

export const inventory = ['warehouse_customer_id', 'substitute_skus', 'lots.expiration_date', 'external_system_url']

export const inventoryLedger = ['warehouse_customer_id', 'reason', 'additional_fields']

export const orders = [
  'channel',
  'channel_object',
  'type',
  'service_level',
  'scac',
  'is_third_party_freight',
  'third_party_freight_account_number',
  'first_party_freight_account_number',
  'total_price',
  'total_tax',
  'total_discount',
  'total_shipping',
  'ship_to_address.company',
  'line_items.discount_amount',
  'tags',
  'saturday_delivery',
  'signature_required',
  'international_duty_paid_by',
  'shipments.line_items.parent_product_id',
  'shipments.ship_to_address.company',
  'shipments.packages.scac',
  'shipments.packages.shipping_cost',
  'shipments.packages.measurements',
  'shipments.packages.line_items.expiration_date',
  'shipments.packages.line_items.parent_product_id',
  'external_system_url',
  'additional_fields',
]

export const products = [
  'warehouse_customer_id',
  'country_of_origin',
  'harmonized_code',
  'supplier_products.unit_cost',
  'external_system_url',
  'additional_fields',
]

export const returns = ['notes', 'line_items.return_reason', 'shipments', 'external_system_url']
