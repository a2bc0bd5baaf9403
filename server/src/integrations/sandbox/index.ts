import type { Resource, SourceRecord } from '../../resources/define.ts'
import { bills } from '../../resources/wms/bills.ts'
import { inboundShipmentSuppliers } from '../../resources/wms/inbound-shipment-suppliers.ts'
import { inboundShipments } from '../../resources/wms/inbound-shipments.ts'
import { inventory } from '../../resources/wms/inventory.ts'
import { inventoryLedger } from '../../resources/wms/inventory-ledger.ts'
import { laborActivities } from '../../resources/wms/labor-activities.ts'
import { orderChannels } from '../../resources/wms/order-channels.ts'
import { orders } from '../../resources/wms/orders.ts'
import { products } from '../../resources/wms/products.ts'
import { returns } from '../../resources/wms/returns.ts'
import { shippingMethods } from '../../resources/wms/shipping-methods.ts'
import { warehouseCustomers } from '../../resources/wms/warehouse-customers.ts'
import { warehouseLocations } from '../../resources/wms/warehouse-locations.ts'
import { warehouses } from '../../resources/wms/warehouses.ts'
import { credentialsForm, defineIntegration, type Integration, read, secretField, snapshot } from '../define.ts'
import { toBill } from './bills.ts'
import { toShippingMethod } from './carriers.ts'
import { WarehouseClient } from './client.ts'
import type { Kind, WarehouseDocuments } from './documents.ts'
import { toInboundShipment } from './inbound-shipments.ts'
import { toLaborActivity } from './labor-activities.ts'
import * as omitted from './omitted-fields.ts'
import { toOrder } from './orders.ts'
import { toOrderChannel, toSupplier, toWarehouse, toWarehouseCustomer, toWarehouseLocation } from './premises.ts'
import { toProduct } from './products.ts'
import { toReturn } from './returns.ts'
import { toInventory, toLedgerEntry } from './stock.ts'
import { inboundShipmentWrites } from './writes/inbound-shipments.ts'
import { inventoryWrites } from './writes/inventory.ts'
import { orderWrites } from './writes/orders.ts'
import { productWrites } from './writes/products.ts'
import { returnWrites } from './writes/returns.ts'

/** The simulated warehouse system that listens at `origin`, reached like any system outside. */
export function sandbox(origin: string): Integration {
  return defineIntegration<WarehouseClient>({
    name: 'sandbox',
    type: 'wms',
    displayName: 'WMS Sandbox',
    description: 'A simulated warehouse system with a year of data, to build and test against.',
    install: credentialsForm({
      warehouse_key: secretField('Warehouse key', 'The key that opens the simulated warehouse'),
    }),
    connect: ({ warehouse_key }, http) => new WarehouseClient(http, origin, warehouse_key ?? ''),
    async account(warehouse) {
      const { account, title } = await warehouse.account()
      return { account_id: account, account_name: title }
    },
    actions: {
      get_bills: changes(bills, 'charges', toBill, omitted.additional),
      get_inbound_shipment_suppliers: changes(inboundShipmentSuppliers, 'vendors', toSupplier, omitted.additional),
      get_inbound_shipments: changes(inboundShipments, 'asns', toInboundShipment, omitted.inboundShipments),
      get_inventory: snapshot(
        inventory,
        (warehouse: WarehouseClient, page) => warehouse.page('stock', page),
        toInventory,
        { omits: omitted.inventory },
      ),
      get_inventory_ledger: changes(inventoryLedger, 'movements', toLedgerEntry, omitted.additional),
      get_labor_activities: changes(laborActivities, 'tasks', toLaborActivity),
      get_order_channels: changes(orderChannels, 'sales-channels', toOrderChannel, omitted.additional),
      get_orders: changes(orders, 'orders', toOrder, omitted.orders),
      get_products: changes(products, 'articles', toProduct, omitted.products),
      get_returns: changes(returns, 'rmas', toReturn, omitted.returns),
      get_shipping_methods: changes(shippingMethods, 'services', toShippingMethod, omitted.additional),
      get_warehouse_customers: changes(warehouseCustomers, 'clients', toWarehouseCustomer, omitted.additional),
      get_warehouse_locations: changes(warehouseLocations, 'slots', toWarehouseLocation, omitted.warehouseLocations),
      get_warehouses: changes(warehouses, 'facilities', toWarehouse, omitted.warehouses),
      ...orderWrites,
      ...productWrites,
      ...inboundShipmentWrites,
      ...returnWrites,
      ...inventoryWrites,
    },
    passthrough: (warehouse, request) => warehouse.pass(request),
  })
}

/** Every kind but stock tells what changed since an instant. */
function changes<R extends Resource, K extends Kind>(
  resource: R,
  kind: K,
  map: (document: WarehouseDocuments[K]) => SourceRecord<R>,
  omits: readonly string[] = [],
) {
  return read(resource, (warehouse: WarehouseClient, page) => warehouse.page(kind, page), map, { omits })
}
