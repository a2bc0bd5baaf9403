import { defineWrite } from '../../define-write.ts'
import { writtenChoice, writtenQuantity, writtenText } from '../../written.ts'
import { inventory } from '../inventory.ts'

export const adjustInventory = defineWrite({
  action: 'adjust_inventory',
  resource: inventory,
  method: 'PUT',
  path: '/wms/inventory/:inventory_id/adjust',
  summary: 'Correct the stock on hand',
  fields: {
    quantity: writtenQuantity('Pieces more or fewer', 3),
    adjustment_type: writtenChoice('Which of the two', 'increase', 'decrease'),
    warehouse_id: writtenText('Warehouse they are in', 'F1'),
    location_id: writtenText('Location they are in', 'F1-B-01'),
  },
})
