import { cancelReturn, createReturn, updateReturn } from '../../../resources/wms/writes/returns.ts'
import { always } from '../../unused.ts'
import { write } from '../../write.ts'
import { place, type WarehouseClient } from '../client.ts'
import { choices } from './choices.ts'
import { written } from './written.ts'

export const returnWrites = {
  create_return: write(
    createReturn,
    {
      required: [
        'return_number',
        'order_id',
        'line_items',
        'line_items.sku',
        'line_items.expected_quantity',
        'line_items.return_cause.code',
      ],
      optional: [
        'warehouse_id',
        'tracking_number',
        'tracking_url',
        'line_items.return_cause',
        'line_items.return_cause.return_reason',
      ],
      choices: {
        warehouse_id: choices.facilities,
        'line_items.return_cause.code': choices.returnCodes,
        'line_items.return_cause.return_reason': choices.returnReasons,
      },
      unused: { tracking_url: always },
    },
    (warehouse: WarehouseClient, { body, reference }) =>
      warehouse.write<'rmas', 'addRma'>('POST', '/v1/rmas', reference, {
        number: body.return_number,
        order: body.order_id,
        facility: body.warehouse_id,
        tracking: body.tracking_number,
        lines: body.line_items.map(({ sku, expected_quantity, return_cause: cause }) => ({
          sku,
          qty: expected_quantity,
          reason: cause && { code: cause.code, text: cause.return_reason ?? undefined },
        })),
      }),
    written<'rmas'>(),
  ),

  update_return: write(
    updateReturn,
    {
      required: ['line_items.sku', 'line_items.quantity'],
      optional: ['warehouse_id', 'order_id', 'line_items'],
      choices: { warehouse_id: choices.facilities },
    },
    (warehouse: WarehouseClient, { id, body, reference }) =>
      warehouse.write<'rmas', 'changeRma'>('PUT', place`/v1/rmas/${id}`, reference, {
        facility: body.warehouse_id,
        order: body.order_id,
        lines: body.line_items?.map(({ sku, quantity }) => ({ sku, qty: quantity })),
      }),
    written<'rmas'>(),
  ),

  cancel_return: write(
    cancelReturn,
    {},
    (warehouse: WarehouseClient, { id, reference }) =>
      warehouse.write<'rmas'>('POST', place`/v1/rmas/${id}/cancellation`, reference),
    written<'rmas'>(),
  ),
}
