import type { Kind } from '../../integrations/sandbox/documents.ts'

/** The unified function that each kind of document serves. */
export const readFunctions: Readonly<Record<Kind, string>> = {
  facilities: 'get_warehouses',
  slots: 'get_warehouse_locations',
  clients: 'get_warehouse_customers',
  vendors: 'get_inbound_shipment_suppliers',
  services: 'get_shipping_methods',
  'sales-channels': 'get_order_channels',
  articles: 'get_products',
  stock: 'get_inventory',
  movements: 'get_inventory_ledger',
  orders: 'get_orders',
  asns: 'get_inbound_shipments',
  rmas: 'get_returns',
  charges: 'get_bills',
  tasks: 'get_labor_activities',
}

export const isKind = (name: string): name is Kind => Object.hasOwn(readFunctions, name)
