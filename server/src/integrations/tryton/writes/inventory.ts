import { adjustInventory } from '../../../resources/wms/writes/inventory.ts'
import { IntegrationError } from '../../fault.ts'
import { write } from '../../write.ts'
import type { Row, TrytonClient } from '../client.ts'
import { productStock } from '../stock.ts'
import { choices } from './choices.ts'
import { placeOf } from './places.ts'
import { refused, toId } from './record.ts'
import { advance, stateOf } from './steps.ts'

const model = 'stock.inventory'

export const inventoryWrites = {
  /** A count of one product at one location. What is kept in lots there is left alone, since no lot is named. */
  adjust_inventory: write(
    adjustInventory,
    {
      required: ['quantity', 'adjustment_type', 'location_id'],
      optional: ['warehouse_id'],
      choices: { warehouse_id: choices.warehouses, location_id: choices.storageLocations },
    },
    async (client: TrytonClient, { id: path, body, reference }) => {
      const product = toId(path)
      await stockOf(client, product)
      const location = Number(body.location_id)
      if (body.warehouse_id) {
        const warehouse = await placeOf(client, 'stock.location', location, 'warehouse')
        if (String(warehouse) !== body.warehouse_id) {
          throw refused(`Location ${location} is not in warehouse ${body.warehouse_id}`)
        }
      }
      const count =
        (await countBy(client, reference)) ??
        (await client.create(model, {
          number: reference,
          location,
          company: (await client.company()).id,
          lines: [['create', [{ product, quantity: 0 }]]],
        }))
      const [line] = await client.read<Row & { expected_quantity: number }>({
        model: 'stock.inventory.line',
        domain: [['inventory', '=', count]],
        fields: ['expected_quantity'],
      })
      const expected = line!.expected_quantity
      const quantity = expected + (body.adjustment_type === 'increase' ? body.quantity : -body.quantity)
      if (quantity < 0) {
        await client.step(model, 'cancel', [[count]])
        const message = `There are only ${expected} at location ${location}, not counting those in lots`
        throw new IntegrationError('rejected', message, { undone: true })
      }
      await client.change('stock.inventory.line', line!.id, { quantity })
      await advance(client, model, count, { buttons: { draft: 'confirm' }, to: 'done' })
      return stockOf(client, product)
    },
    {
      async find(client, { id, reference }) {
        const count = await countBy(client, reference)
        return count !== null && (await stateOf(client, model, count)) === 'done' ? stockOf(client, toId(id)) : null
      },
    },
  ),
}

/** The count that a request has made: it bears the reference of the request as its number. */
async function countBy(client: TrytonClient, reference: string): Promise<number | null> {
  const domain = [
    ['number', '=', reference],
    ['state', '!=', 'cancelled'],
  ]
  const [found] = await client.read({ model, domain, fields: [], limit: 1 })
  return found?.id ?? null
}

async function stockOf(client: TrytonClient, product: number) {
  const stock = await productStock(client, product)
  if (!stock) throw new IntegrationError('not_found', `Tryton has no product ${product}`)
  return stock
}
