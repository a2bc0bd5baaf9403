import { Type } from 'typebox'
import { cancelOrder, createOrder, createOrderShipment } from '../../../resources/wms/writes/orders.ts'
import { writtenInstant, writtenText } from '../../../resources/written.ts'
import { beside } from '../../unused.ts'
import { write } from '../../write.ts'
import type { TrytonClient } from '../client.ts'
import { type CustomerShipment, customerShipments } from '../orders.ts'
import { methodName } from '../parties.ts'
import { toDate, toDecimal } from '../values.ts'
import { choices, readCarriers } from './choices.ts'
import { itemsById } from './goods.ts'
import { track } from './packages.ts'
import { placeOf } from './places.ts'
import { recipientOf } from './recipients.ts'
import { inTheWay, recordOf, recordsWhere, refused, toId } from './record.ts'
import { advance, cancel, stateOf } from './steps.ts'

const { model } = customerShipments
const shipment = (client: TrytonClient, id: number) => recordOf<CustomerShipment>(client, customerShipments, id)

export const orderWrites = {
  create_order: write(
    createOrder,
    {
      required: [
        'order_number',
        'ship_to_address',
        'ship_to_address.full_name',
        'ship_to_address.address1',
        'ship_to_address.city',
        'ship_to_address.postal_code',
        'ship_to_address.country',
        'line_items',
        'line_items.product_id',
        'line_items.quantity',
      ],
      optional: [
        'reference_id',
        'trading_partner',
        'shipping_method_id',
        'shipping_method',
        'invoice_currency_code',
        'ship_to_address.address2',
        'ship_to_address.state',
        'line_items.sku',
        'line_items.unit_price',
      ],
      specific: {
        warehouse_id: writtenText('Warehouse that ships it', '1'),
        required_ship_date: Type.Optional(writtenInstant('When it should leave; the day counts')),
      },
      choices: {
        warehouse_id: choices.warehouses,
        shipping_method_id: choices.shippingMethodIds,
        shipping_method: choices.shippingMethods,
        invoice_currency_code: choices.currencies,
      },
      unused: { shipping_method: beside('shipping_method_id') },
    },
    async (client: TrytonClient, { body }) => {
      const sameNumber = await recordsWhere(client, customerShipments, [['number', '=', body.order_number]])
      if (sameNumber.length > 0) throw inTheWay(`Tryton has an order with the number ${body.order_number}`)
      const items = body.line_items
      const itemOf = await itemsById(
        client,
        items.map((line) => line.product_id),
      )
      const wrong = items.find(({ product_id, sku }) => sku !== undefined && sku !== itemOf(product_id).code)
      if (wrong) throw refused(`Product ${wrong.product_id} does not have the SKU ${wrong.sku} in Tryton`)
      const company = await client.company()
      const currency = body.invoice_currency_code
        ? await currencyOf(client, body.invoice_currency_code)
        : company.currency
      const warehouse = Number(body.warehouse_id)
      const recipient = await recipientOf(
        client,
        body.trading_partner ?? body.ship_to_address.full_name,
        body.ship_to_address,
      )
      const way = {
        from_location: await placeOf(client, 'stock.location', warehouse, 'output_location'),
        to_location: await placeOf(client, 'party.party', recipient.customer, 'customer_location'),
      }
      const carrier = await carrierOf(client, body)
      const id = await client.create(model, {
        ...recipient,
        number: body.order_number,
        reference: body.reference_id,
        company: company.id,
        warehouse,
        ...(body.required_ship_date && { planned_date: toDate(body.required_ship_date) }),
        ...(carrier !== null && { carrier }),
        outgoing_moves: [
          [
            'create',
            items.map((line) => {
              const item = itemOf(line.product_id)
              return {
                ...way,
                product: item.id,
                quantity: line.quantity,
                uom: item.default_uom,
                company: company.id,
                currency,
                unit_price: toDecimal(line.unit_price ?? item.list_price ?? 0),
              }
            }),
          ],
        ],
      })
      return reserved(client, id)
    },
    {
      async find(client, { body }) {
        const { order_number, reference_id = null } = body as { order_number: string; reference_id?: string }
        const [found] = await recordsWhere<CustomerShipment>(client, customerShipments, [
          ['number', '=', order_number],
          ['reference', '=', reference_id],
        ])
        return found ? reserved(client, found.id) : null
      },
    },
  ),

  cancel_order: write(
    cancelOrder,
    {},
    async (client: TrytonClient, { id }) => {
      await shipment(client, toId(id))
      await cancel(client, model, toId(id))
      return shipment(client, toId(id))
    },
    { find: (client, { id }) => inState(client, toId(id), 'cancelled') },
  ),

  /** Tryton ships what is left of an order at once: a part would strand the rest. */
  create_order_shipment: write(
    createOrderShipment,
    {
      required: ['line_items.sku', 'line_items.quantity'],
      optional: ['shipped_date', 'tracking_number', 'shipping_method_id', 'shipping_method', 'line_items'],
      choices: { shipping_method_id: choices.shippingMethodIds, shipping_method: choices.shippingMethods },
      unused: { shipping_method: beside('shipping_method_id') },
    },
    async (client: TrytonClient, { id: path, body }) => {
      const id = toId(path)
      const order = await shipment(client, id)
      if (body.line_items) mustBeWhole(order, body.line_items)
      const carrier = await carrierOf(client, body)
      await advance(client, model, id, {
        buttons: { draft: 'wait', waiting: 'assign_try', assigned: 'pick', picked: 'pack', packed: 'done' },
        to: 'done',
        async before(state) {
          if (state === 'picked' && carrier !== null) await client.change(model, id, { carrier })
          if (state === 'picked' && body.tracking_number) await track(client, id, body.tracking_number)
          if (state === 'packed' && body.shipped_date) {
            await client.change(model, id, { effective_date: toDate(body.shipped_date) })
          }
        },
      })
      return shipment(client, id)
    },
    { find: (client, { id }) => inState(client, toId(id), 'done') },
  ),
}

/** Reserves stock for a new order where there is enough; else the order waits for it. */
async function reserved(client: TrytonClient, id: number): Promise<CustomerShipment> {
  if ((await stateOf(client, model, id)) === 'draft') {
    await advance(client, model, id, { buttons: { draft: 'wait' }, to: 'waiting' })
  }
  if ((await stateOf(client, model, id)) === 'waiting') await client.step(model, 'assign_try', [[id]])
  return shipment(client, id)
}

async function inState(client: TrytonClient, id: number, state: string): Promise<CustomerShipment | null> {
  const found = await shipment(client, id)
  return found.state === state ? found : null
}

function mustBeWhole(order: CustomerShipment, given: readonly { sku: string; quantity: number }[]) {
  const moves = order['outgoing_moves.'].filter(({ state }) => state !== 'cancelled')
  const left = new Map<string, number>()
  const count = (sku: string, quantity: number) => left.set(sku, (left.get(sku) ?? 0) + quantity)
  for (const move of moves) count(move['product.'].code ?? '', move.internal_quantity)
  for (const { sku, quantity } of given) count(sku, -quantity)
  for (const [sku, quantity] of left) {
    if (quantity === 0) continue
    const why = quantity > 0 ? `${quantity} of ${sku} would be left` : `${-quantity} of ${sku} are not ordered`
    throw refused(`Tryton ships an order as a whole: ${why}`)
  }
}

async function carrierOf(
  client: TrytonClient,
  { shipping_method_id: id, shipping_method: name }: { shipping_method_id?: string; shipping_method?: string },
): Promise<number | null> {
  if (id) return Number(id)
  if (!name) return null
  return (await readCarriers(client)).find((carrier) => methodName(carrier) === name)?.id ?? null
}

async function currencyOf(client: TrytonClient, code: string): Promise<number> {
  const [found] = await client.read({ model: 'currency.currency', domain: [['code', '=', code]], fields: [] })
  if (!found) throw refused(`Tryton has no currency ${code}`)
  return found.id
}
