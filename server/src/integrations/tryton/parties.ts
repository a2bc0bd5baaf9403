import type { SourceRecord } from '../../resources/define.ts'
import type { shippingMethods } from '../../resources/wms/shipping-methods.ts'
import type { warehouseCustomers } from '../../resources/wms/warehouse-customers.ts'
import { type Source, withArchived } from './changes.ts'
import { type Dated, stamp } from './stamps.ts'

/** Everybody the company deals with; Tryton does not tell customers from others. */
export const parties: Source = {
  model: 'party.party',
  context: withArchived,
  fields: [
    'name',
    'email',
    'contact_mechanisms.create_date',
    'contact_mechanisms.write_date',
    'create_date',
    'write_date',
  ],
  parts: ['contact_mechanisms'],
  pageSize: 500,
}

export interface Party extends Dated {
  id: number
  name: string | null
  email: string | null
  'contact_mechanisms.': Dated[]
}

export function toWarehouseCustomer(party: Party): SourceRecord<typeof warehouseCustomers> {
  return {
    ...stamp(party, party['contact_mechanisms.']),
    name: party.name || String(party.id),
    email: party.email || null,
  }
}

/** A party together with one of its services, which is a product. */
export const carriers: Source = {
  model: 'carrier',
  fields: ['party', 'party.name', 'carrier_product.name', 'create_date', 'write_date'],
}

export interface Carrier {
  id: number
  party: number
  'party.': { name: string }
  'carrier_product.': { name: string } | null
}

export const methodName = (carrier: Carrier) => carrier['carrier_product.']?.name ?? carrier['party.'].name

export function toShippingMethod(carrier: Carrier & Dated): SourceRecord<typeof shippingMethods> {
  return {
    ...stamp(carrier),
    name: methodName(carrier),
    carrier: carrier['party.'].name,
    carrier_id: String(carrier.party),
    carrier_name: carrier['party.'].name,
  }
}
