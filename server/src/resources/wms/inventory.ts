import { Type } from 'typebox'
import {
  amountOrNull,
  defineResource,
  deprecated,
  flag,
  hours,
  integer,
  integerOrNull,
  operators,
  text,
  textOrNull,
  timestampOrNull,
} from '../define.ts'
import { measurements } from '../measurements.ts'

export const inventory = defineResource('wms', 'inventory', {
  singular: 'inventory',
  schedule: hours(1),
  tags: true,
  fields: {
    warehouse_customer_id: textOrNull,
    name: text,
    sku: textOrNull,
    unit_cost: amountOrNull,
    active: flag,
    awaiting: integer,
    onhand: integer,
    committed: integer,
    unfulfillable: integer,
    fulfillable: integer,
    unsellable: deprecated(integer),
    sellable: integer,
    substitute_skus: Type.Array(text),
    inventory_by_warehouse_id: Type.Record(
      Type.String(),
      Type.Object({
        awaiting: integerOrNull,
        onhand: integer,
        committed: integerOrNull,
        unfulfillable: integerOrNull,
        fulfillable: integerOrNull,
        unsellable: deprecated(integerOrNull),
        sellable: integerOrNull,
      }),
    ),
    lots: Type.Array(
      Type.Object({
        lot_id: text,
        onhand: integer,
        expiration_date: timestampOrNull,
        warehouse_id: textOrNull,
      }),
    ),
    measurements,
    locations: Type.Array(Type.Object({ location_id: text, quantity: integer, warehouse_id: text })),
    external_system_url: textOrNull,
  },
  filters: { warehouse_customer_id: operators.text, active: operators.exact, sku: operators.sku },
})
