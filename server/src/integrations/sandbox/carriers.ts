import type { SourceRecord } from '../../resources/define.ts'
import type { shippingMethods } from '../../resources/wms/shipping-methods.ts'
import type { Carrier, Service } from './documents.ts'
import { stamp } from './values.ts'

export const toCarrier = (carrier: Carrier | null) => ({
  carrier: carrier?.title ?? null,
  carrier_id: carrier?.code ?? null,
  carrier_name: carrier?.title ?? null,
  scac: carrier?.scac ?? null,
})

export function toShippingMethod(service: Service): SourceRecord<typeof shippingMethods> {
  return { ...stamp(service), name: service.title, ...toCarrier(service.carrier) }
}
