import type { IntegrationType, Resource } from './define.ts'
import { bills } from './wms/bills.ts'
import { inboundShipmentSuppliers } from './wms/inbound-shipment-suppliers.ts'
import { inboundShipments } from './wms/inbound-shipments.ts'
import { inventory } from './wms/inventory.ts'
import { inventoryLedger } from './wms/inventory-ledger.ts'
import { laborActivities } from './wms/labor-activities.ts'
import { orderChannels } from './wms/order-channels.ts'
import { orders } from './wms/orders.ts'
import { products } from './wms/products.ts'
import { returns } from './wms/returns.ts'
import { shippingMethods } from './wms/shipping-methods.ts'
import { warehouseCustomers } from './wms/warehouse-customers.ts'
import { warehouseLocations } from './wms/warehouse-locations.ts'
import { warehouses } from './wms/warehouses.ts'
import { writes } from './writes.ts'

/** Every resource there is. */
export const resources: readonly Resource[] = Object.freeze([
  inventory,
  inventoryLedger,
  products,
  orders,
  orderChannels,
  inboundShipments,
  inboundShipmentSuppliers,
  shippingMethods,
  returns,
  bills,
  warehouses,
  warehouseLocations,
  warehouseCustomers,
  laborActivities,
])

/** The functions that connections of a type can have, for instance `get_orders`. */
export function functionNames(type: IntegrationType): string[] {
  const reads = resources.filter((resource) => resource.type === type).map((resource) => resource.readAction)
  return [...reads, ...writes.filter(({ resource }) => resource.type === type).map(({ action }) => action)]
}
