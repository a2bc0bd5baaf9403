import { Type } from 'typebox'
import { defineWrite } from '../../resources/define-write.ts'
import { orders } from '../../resources/wms/orders.ts'
import { returns } from '../../resources/wms/returns.ts'
import { write } from '../write.ts'
import { place, type WarehouseClient } from './client.ts'
import { written } from './writes/written.ts'

/** What happens in a warehouse by itself, made to happen now. */
export const simulations = {
  fulfilOrder: write(
    defineWrite({
      action: 'simulate_order_fulfillment',
      resource: orders,
      method: 'PUT',
      path: '/sandbox/simulate/orders/:order_id/fulfill',
      summary: 'Make the warehouse ship an order',
      fields: { partial: Type.Boolean() },
    }),
    { required: ['partial'] },
    (warehouse: WarehouseClient, { id, body, reference }) =>
      warehouse.write<'orders', 'fulfil'>('POST', place`/v1/orders/${id}/fulfilment`, reference, {
        partial: body.partial,
      }),
    written<'orders'>(),
  ),

  receiveReturn: write(
    defineWrite({
      action: 'simulate_return_receipt',
      resource: returns,
      method: 'PUT',
      path: '/sandbox/simulate/returns/:return_id/receive',
      summary: 'Make the warehouse receive a return',
    }),
    {},
    (warehouse: WarehouseClient, { id, reference }) =>
      warehouse.write<'rmas'>('POST', place`/v1/rmas/${id}/arrival`, reference),
    written<'rmas'>(),
  ),
}
