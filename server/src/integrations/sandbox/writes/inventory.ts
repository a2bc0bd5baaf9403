import { adjustInventory } from '../../../resources/wms/writes/inventory.ts'
import { write } from '../../write.ts'
import { place, type WarehouseClient } from '../client.ts'
import { choices } from './choices.ts'
import { written } from './written.ts'

export const inventoryWrites = {
  adjust_inventory: write(
    adjustInventory,
    {
      required: ['quantity', 'adjustment_type', 'warehouse_id'],
      optional: ['location_id'],
      choices: { warehouse_id: choices.facilities, location_id: choices.slots },
    },
    (warehouse: WarehouseClient, { id, body, reference }) =>
      warehouse.write<'stock', 'correct'>('POST', place`/v1/stock/${id}/corrections`, reference, {
        qty: body.quantity,
        direction: body.adjustment_type === 'increase' ? 'up' : 'down',
        facility: body.warehouse_id,
        slot: body.location_id,
      }),
    written<'stock'>(),
  ),
}
