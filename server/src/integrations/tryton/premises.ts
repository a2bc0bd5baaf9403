import type { SourceRecord } from '../../resources/define.ts'
import type { warehouseLocations } from '../../resources/wms/warehouse-locations.ts'
import type { warehouses } from '../../resources/wms/warehouses.ts'
import { type Address, addressFields, toAddress } from './addresses.ts'
import type { Source } from './changes.ts'
import { type Dated, stamp } from './stamps.ts'

export interface Warehouse extends Dated {
  id: number
  name: string
  code: string | null
  'address.': Address | null
  storage_location: number
}

export const warehouseSource: Source = {
  model: 'stock.location',
  domain: [['type', '=', 'warehouse']],
  fields: ['name', 'code', 'storage_location', ...addressFields('address'), 'create_date', 'write_date'],
}

export function toWarehouse(warehouse: Warehouse): SourceRecord<typeof warehouses> {
  return {
    ...stamp(warehouse),
    name: warehouse.name,
    code: warehouse.code || null,
    address: toAddress(warehouse['address.']),
  }
}

export interface Location extends Dated {
  id: number
  name: string
  code: string | null
  /** `storage`, or `view` where it only groups others. */
  type: string
  warehouse: number
}

/** The zones and bins of the warehouses; suppliers, customers and lost goods are locations of Tryton as well. */
export const locationSource = (warehouses: readonly Pick<Warehouse, 'id'>[]): Source => ({
  model: 'stock.location',
  domain: [
    ['type', 'in', ['storage', 'view']],
    ['parent', 'child_of', warehouses.map(({ id }) => id), 'parent'],
  ],
  fields: ['name', 'code', 'type', 'warehouse', 'create_date', 'write_date'],
  pageSize: 1000,
})

export function toWarehouseLocation(location: Location): SourceRecord<typeof warehouseLocations> {
  return {
    ...stamp(location),
    name: location.name,
    warehouse_id: String(location.warehouse),
    type: location.type,
    additional_fields: { code: location.code || null },
  }
}
