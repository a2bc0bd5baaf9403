import type { SourceRecord } from '../../resources/define.ts'
import type { bills } from '../../resources/wms/bills.ts'
import type { Charge } from './documents.ts'
import { stamp, toMoney } from './values.ts'

export function toBill(charge: Charge): SourceRecord<typeof bills> {
  return {
    ...stamp(charge),
    warehouse_customer_id: charge.client,
    object_id: charge.about?.id ?? null,
    object_type: charge.about ? (objectTypes[charge.about.kind] ?? charge.about.kind) : null,
    charge_type: charge.type.toLowerCase(),
    amount: toMoney(charge.cents),
    currency_code: charge.currency,
  }
}

const objectTypes: Record<string, string> = { orders: 'order', facilities: 'warehouse' }
