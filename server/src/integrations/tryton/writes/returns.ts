import { cancelReturn, createReturn } from '../../../resources/wms/writes/returns.ts'
import { IntegrationError } from '../../fault.ts'
import { write } from '../../write.ts'
import type { Row, TrytonClient } from '../client.ts'
import { customerShipments } from '../orders.ts'
import { type CustomerReturn, customerReturns, withOrders } from '../returns.ts'
import { toDecimal } from '../values.ts'
import { choices } from './choices.ts'
import { placeOf } from './places.ts'
import { inTheWay, recordOf, recordsWhere, refused, toId } from './record.ts'
import { cancel } from './steps.ts'

const { model } = customerReturns

export const returnWrites = {
  create_return: write(
    createReturn,
    {
      required: ['return_number', 'order_id', 'line_items', 'line_items.sku', 'line_items.expected_quantity'],
      optional: ['warehouse_id'],
      choices: { warehouse_id: choices.warehouses },
    },
    async (client: TrytonClient, { body }) => {
      if ((await recordsWhere(client, customerReturns, [['reference', '=', body.return_number]])).length > 0) {
        throw inTheWay(`Tryton has a return with the reference ${body.return_number}`)
      }
      const order = await orderOf(client, body.order_id)
      const warehouse = body.warehouse_id ? Number(body.warehouse_id) : order.warehouse
      const way = {
        from_location: await placeOf(client, 'party.party', order.customer, 'customer_location'),
        to_location: await placeOf(client, 'stock.location', warehouse, 'input_location'),
      }
      const id = await client.create(model, {
        customer: order.customer,
        delivery_address: order.delivery_address,
        reference: body.return_number,
        company: order.company,
        warehouse,
        incoming_moves: [
          [
            'create',
            body.line_items.map(({ sku, expected_quantity }) => {
              const line = order['outgoing_moves.'].find((move) => move['product.'].code === sku)
              if (!line) throw refused(`${sku} is not among what order ${body.order_id} has`)
              return {
                ...way,
                product: line.product,
                quantity: expected_quantity,
                uom: line['product.'].default_uom,
                company: order.company,
                currency: line.currency,
                unit_price: toDecimal(line.unit_price ?? 0),
                origin: `stock.move,${line.id}`,
              }
            }),
          ],
        ],
      })
      return customerReturn(client, id)
    },
    {
      async find(client, { body }) {
        const { return_number, order_id } = body as { return_number: string; order_id: string }
        const sameNumber = await recordsWhere<CustomerReturn>(client, customerReturns, [
          ['reference', '=', return_number],
        ])
        return (await withOrders(client, sameNumber)).find(({ order }) => String(order) === order_id) ?? null
      },
    },
  ),

  cancel_return: write(
    cancelReturn,
    {},
    async (client: TrytonClient, { id }) => {
      await customerReturn(client, toId(id))
      await cancel(client, model, toId(id))
      return customerReturn(client, toId(id))
    },
    {
      async find(client, { id }) {
        const found = await customerReturn(client, toId(id))
        return found.state === 'cancelled' ? found : null
      },
    },
  ),
}

async function customerReturn(client: TrytonClient, id: number): Promise<CustomerReturn> {
  const [found] = await withOrders(client, [await recordOf<CustomerReturn>(client, customerReturns, id)])
  return found!
}

interface ReturnedOrder extends Row {
  customer: number
  delivery_address: number
  warehouse: number
  company: number
  'outgoing_moves.': {
    id: number
    product: number
    'product.': { code: string | null; default_uom: number }
    currency: number | null
    unit_price: number | null
  }[]
}

async function orderOf(client: TrytonClient, id: string): Promise<ReturnedOrder> {
  const fields = [
    ...['customer', 'delivery_address', 'warehouse', 'company'],
    ...['product', 'product.code', 'product.default_uom', 'currency', 'unit_price'].map(
      (name) => `outgoing_moves.${name}`,
    ),
  ]
  try {
    return await recordOf<ReturnedOrder>(client, { ...customerShipments, fields }, toId(id))
  } catch (error) {
    if (error instanceof IntegrationError && error.fault === 'not_found') throw refused(`Tryton has no order ${id}`)
    throw error
  }
}
