/** What an integration may be wished to do, by type. */
export const flows = {
  wms: [
    'read_inventory',
    'read_products',
    'read_orders',
    'read_inbounds',
    'read_returns',
    'read_warehouses',
    'create_order',
    'cancel_order',
    'create_product',
    'create_inbound',
    'create_return',
    'not_sure',
  ],
  cart: [
    'get_orders',
    'get_products',
    'get_warehouses',
    'create_order_shipment',
    'refund_order',
    'adjust_inventory',
    'batch_adjust_inventory',
    'not_sure',
  ],
  carrier: ['get_invoice_line_items', 'get_files', 'not_sure'],
} as const

export const requestableTypes = ['wms', 'cart', 'carrier'] as const satisfies readonly (keyof typeof flows)[]
