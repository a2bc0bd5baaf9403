import type { Resource, SourceRecord } from '../../resources/define.ts'
import { inboundShipmentSuppliers } from '../../resources/wms/inbound-shipment-suppliers.ts'
import { inboundShipments } from '../../resources/wms/inbound-shipments.ts'
import { inventory } from '../../resources/wms/inventory.ts'
import { inventoryLedger } from '../../resources/wms/inventory-ledger.ts'
import { orders } from '../../resources/wms/orders.ts'
import { products } from '../../resources/wms/products.ts'
import { returns } from '../../resources/wms/returns.ts'
import { shippingMethods } from '../../resources/wms/shipping-methods.ts'
import { warehouseCustomers } from '../../resources/wms/warehouse-customers.ts'
import { warehouseLocations } from '../../resources/wms/warehouse-locations.ts'
import { warehouses } from '../../resources/wms/warehouses.ts'
import {
  credentialsForm,
  defineIntegration,
  type Integration,
  type ReadAction,
  read,
  secretField,
  snapshot,
  textField,
  urlField,
} from '../define.ts'
import { allPage, changedPage, type Source } from './changes.ts'
import { type Row, TrytonClient } from './client.ts'
import { shipmentSuppliers, supplierShipments, toInboundShipment, toSupplier } from './inbound-shipments.ts'
import { toInventory } from './inventory.ts'
import { ledgerPage, toLedgerEntry } from './ledger.ts'
import * as omitted from './omitted-fields.ts'
import { customerShipments, toOrder } from './orders.ts'
import { carriers, parties, toShippingMethod, toWarehouseCustomer } from './parties.ts'
import { locationSource, toWarehouse, toWarehouseLocation, type Warehouse, warehouseSource } from './premises.ts'
import { goods, toProduct } from './products.ts'
import { returnsPage, toReturn } from './returns.ts'
import { stockPage } from './stock.ts'
import { inboundShipmentWrites } from './writes/inbound-shipments.ts'
import { inventoryWrites } from './writes/inventory.ts'
import { orderWrites } from './writes/orders.ts'
import { productWrites } from './writes/products.ts'
import { returnWrites } from './writes/returns.ts'

/** Tryton's warehouse: its modules `stock` and those that build on it. */
export const tryton: Integration = defineIntegration<TrytonClient>({
  name: 'tryton',
  type: 'wms',
  displayName: 'Tryton',
  description: 'Stock, products, shipments and returns of a Tryton server (6.0 or later) with the stock module.',
  install: credentialsForm({
    base_url: urlField(
      'Server address',
      'Where your Tryton server answers, as https://tryton.example.com or with its port: the part before the slash and ' +
        'the database that Tryton asks for as "Host" in its login window',
    ),
    database: textField('Database', 'The name behind "Database" in the profile of the Tryton login window'),
    username: textField(
      'User name',
      'What this user types as "Login"; best a user of its own that belongs to the group Stock, and to Product ' +
        'Administration where products are written as well (Administration → Users → Users)',
    ),
    password: secretField('Password', 'The password of this user, set under Administration → Users → Users'),
  }),
  connect: (credentials, http) => new TrytonClient(credentials, http),
  account: (client) => client.account(),
  actions: {
    get_inbound_shipment_suppliers: changes(inboundShipmentSuppliers, shipmentSuppliers, toSupplier, [
      'warehouse_customer_id',
      'additional_fields',
    ]),
    get_inbound_shipments: changes(inboundShipments, supplierShipments, toInboundShipment, omitted.inboundShipments),
    get_inventory: snapshot(inventory, stockPage, toInventory, { omits: omitted.inventory }),
    get_inventory_ledger: read(inventoryLedger, ledgerPage, toLedgerEntry, { omits: omitted.inventoryLedger }),
    get_orders: changes(orders, customerShipments, toOrder, omitted.orders),
    get_products: changes(products, goods, toProduct, omitted.products),
    get_returns: read(returns, returnsPage, toReturn, { omits: omitted.returns }),
    get_shipping_methods: whole(shippingMethods, async () => carriers, toShippingMethod, ['scac', 'additional_fields']),
    get_warehouse_customers: changes(warehouseCustomers, parties, toWarehouseCustomer, ['additional_fields']),
    get_warehouse_locations: whole(
      warehouseLocations,
      async (client) => locationSource(await client.read<Warehouse>(warehouseSource)),
      toWarehouseLocation,
      ['measurements'],
    ),
    get_warehouses: whole(warehouses, async () => warehouseSource, toWarehouse, ['additional_fields']),
    ...orderWrites,
    ...productWrites,
    ...inboundShipmentWrites,
    ...returnWrites,
    ...inventoryWrites,
  },
})

function changes<R extends Resource, Found extends Row>(
  resource: R,
  source: Source,
  map: (row: Found) => SourceRecord<R>,
  omits: readonly string[] = [],
): ReadAction<TrytonClient> {
  return read(resource, (client: TrytonClient, page) => changedPage<Found>(client, source, page), map, { omits })
}

/** Short lists that are read whole, so that what is archived or deleted in Tryton disappears. */
function whole<R extends Resource, Found extends Row>(
  resource: R,
  source: (client: TrytonClient) => Promise<Source>,
  map: (row: Found) => SourceRecord<R>,
  omits: readonly string[] = [],
): ReadAction<TrytonClient> {
  const page = async (client: TrytonClient, { cursor }: Parameters<typeof stockPage>[1]) =>
    allPage<Found>(client, await source(client), { cursor })
  return snapshot(resource, page, map, { omits })
}
