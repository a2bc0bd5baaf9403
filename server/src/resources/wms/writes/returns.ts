import { Type } from 'typebox'
import { nullable } from '../../define.ts'
import { defineWrite } from '../../define-write.ts'
import { writtenQuantity, writtenText } from '../../written.ts'
import { returns } from '../returns.ts'

const fields = {
  return_number: writtenText('Number people know the return by', 'RMA-1001'),
  order_id: writtenText('`id` of the order it belongs to', 'O100001'),
  warehouse_id: writtenText('Warehouse that receives it', 'F1'),
  tracking_number: writtenText('Of the carrier', '1Z0000000000000001'),
  tracking_url: writtenText('Where the return can be followed', 'https://www.ups.com/track?tracknum=1Z1'),
  line_items: Type.Array(
    Type.Object({
      sku: writtenText('SKU of the stock', 'OUT-TEN-SMA'),
      expected_quantity: writtenQuantity('Pieces coming back'),
      quantity: writtenQuantity('Pieces coming back'),
      return_cause: Type.Object(
        {
          code: writtenText('Code of the cause', 'DEFECTIVE'),
          return_reason: nullable(writtenText('The cause in words', 'Defective')),
        },
        { description: 'Why it comes back' },
      ),
    }),
    { minItems: 1, maxItems: 1000, description: 'What comes back' },
  ),
}

const beyondBase = [
  'return_number',
  'tracking_number',
  'tracking_url',
  'line_items.expected_quantity',
  'line_items.return_cause',
  'line_items.return_cause.code',
  'line_items.return_cause.return_reason',
]

export const createReturn = defineWrite({
  action: 'create_return',
  resource: returns,
  method: 'POST',
  path: '/wms/returns',
  summary: 'Announce a return',
  tags: true,
  fields,
  beyondBase,
})

export const updateReturn = defineWrite({
  action: 'update_return',
  resource: returns,
  method: 'PUT',
  path: '/wms/returns/:return_id',
  summary: 'Change a return',
  tags: true,
  fields,
  beyondBase,
})

export const cancelReturn = defineWrite({
  action: 'cancel_return',
  resource: returns,
  method: 'PUT',
  path: '/wms/returns/:return_id/cancel',
  summary: 'Cancel a return',
})
