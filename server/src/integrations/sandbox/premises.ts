import type { SourceRecord } from '../../resources/define.ts'
import type { inboundShipmentSuppliers } from '../../resources/wms/inbound-shipment-suppliers.ts'
import type { orderChannels } from '../../resources/wms/order-channels.ts'
import type { warehouseCustomers } from '../../resources/wms/warehouse-customers.ts'
import type { warehouseLocations } from '../../resources/wms/warehouse-locations.ts'
import type { warehouses } from '../../resources/wms/warehouses.ts'
import type { Client, Facility, SalesChannel, Slot, Vendor } from './documents.ts'
import { stamp, toAddress, toMeasurements } from './values.ts'

export function toWarehouse(facility: Facility): SourceRecord<typeof warehouses> {
  return { ...stamp(facility), name: facility.title, code: facility.code, address: toAddress(facility.address) }
}

export function toWarehouseLocation(slot: Slot): SourceRecord<typeof warehouseLocations> {
  return {
    ...stamp(slot),
    name: slot.label,
    warehouse_id: slot.facility,
    type: slot.category.toLowerCase(),
    measurements: toMeasurements(slot.box),
  }
}

export function toWarehouseCustomer(client: Client): SourceRecord<typeof warehouseCustomers> {
  return { ...stamp(client), name: client.title, email: client.mail }
}

export function toSupplier(vendor: Vendor): SourceRecord<typeof inboundShipmentSuppliers> {
  return { ...stamp(vendor), name: vendor.title, warehouse_customer_id: vendor.client }
}

export function toOrderChannel(channel: SalesChannel): SourceRecord<typeof orderChannels> {
  return { ...stamp(channel), name: channel.title, warehouse_customer_id: channel.client }
}
