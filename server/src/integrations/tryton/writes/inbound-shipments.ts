import { createInboundShipment, createReceipt } from '../../../resources/wms/writes/inbound-shipments.ts'
import { write } from '../../write.ts'
import type { Row, TrytonClient } from '../client.ts'
import { type SupplierShipment, supplierShipments } from '../inbound-shipments.ts'
import { toDate, toDecimal } from '../values.ts'
import { choices } from './choices.ts'
import { itemsBySku } from './goods.ts'
import { placeOf } from './places.ts'
import { inTheWay, recordOf, recordsWhere, refused, toId } from './record.ts'
import { advance } from './steps.ts'

const { model } = supplierShipments
const shipment = (client: TrytonClient, id: number) => recordOf<SupplierShipment>(client, supplierShipments, id)

export const inboundShipmentWrites = {
  create_inbound_shipment: write(
    createInboundShipment,
    {
      required: [
        'supplier',
        'purchase_order_number',
        'warehouse_id',
        'line_items',
        'line_items.sku',
        'line_items.expected_quantity',
      ],
      optional: ['expected_arrival_date'],
      choices: { supplier: choices.suppliers, warehouse_id: choices.warehouses },
    },
    async (client: TrytonClient, { body }) => {
      if (await announced(client, body)) {
        throw inTheWay(`Tryton has a shipment of ${body.supplier} with the reference ${body.purchase_order_number}`)
      }
      const itemOf = await itemsBySku(
        client,
        body.line_items.map(({ sku }) => sku),
      )
      const company = await client.company()
      const [supplier] = await client.read<Row & { addresses: number[]; supplier_location: number }>({
        model: 'party.party',
        domain: [['name', '=', body.supplier]],
        fields: ['addresses', 'supplier_location'],
        limit: 1,
      })
      if (!supplier) throw refused(`Tryton has no supplier ${body.supplier}`)
      const warehouse = Number(body.warehouse_id)
      const way = {
        from_location: supplier.supplier_location,
        to_location: await placeOf(client, 'stock.location', warehouse, 'input_location'),
      }
      const id = await client.create(model, {
        supplier: supplier.id,
        contact_address: supplier.addresses[0] ?? null,
        reference: body.purchase_order_number,
        company: company.id,
        warehouse,
        ...(body.expected_arrival_date && { planned_date: toDate(body.expected_arrival_date) }),
        incoming_moves: [
          [
            'create',
            body.line_items.map(({ sku, expected_quantity }) => {
              const item = itemOf(sku)
              return {
                ...way,
                product: item.id,
                quantity: expected_quantity,
                uom: item.default_uom,
                company: company.id,
                currency: company.currency,
                unit_price: toDecimal(item.cost_price ?? 0),
              }
            }),
          ],
        ],
      })
      return shipment(client, id)
    },
    {
      find: (client, { body }) => announced(client, body as { supplier: string; purchase_order_number: string }),
    },
  ),

  /** Tryton receives a shipment at once: every product of it is named, the quantities may differ from those announced. */
  create_receipt: write(
    createReceipt,
    {
      required: ['line_items', 'line_items.sku', 'line_items.quantity'],
      optional: ['warehouse_location_id'],
      choices: { warehouse_location_id: choices.storageLocations },
    },
    async (client: TrytonClient, { id: path, body }) => {
      const id = toId(path)
      const before = await shipment(client, id)
      const corrected = arrivalsOf(before, body.line_items).filter(
        ({ move, quantity }) => quantity !== move.internal_quantity,
      )
      if (before.state === 'received' && corrected.length > 0) {
        throw inTheWay('Tryton has received other quantities already')
      }
      const location = body.warehouse_location_id ? Number(body.warehouse_location_id) : null
      if (location) await mustBeWithin(client, location, before.warehouse)
      await advance(client, model, id, {
        buttons: { draft: 'receive', received: 'done' },
        to: 'done',
        async before(state) {
          if (state === 'draft') {
            for (const { move, quantity } of corrected) {
              const inUnitOfLine = (quantity * move.quantity) / move.internal_quantity
              await client.change('stock.move', move.id, { quantity: inUnitOfLine })
            }
          }
          if (state === 'received' && location) await putAway(client, id, location)
        },
      })
      return shipment(client, id)
    },
    {
      async find(client, { id }) {
        const found = await shipment(client, toId(id))
        return found.state === 'done' ? found : null
      },
    },
  ),
}

async function announced(client: TrytonClient, body: { supplier: string; purchase_order_number: string }) {
  const [found] = await recordsWhere<SupplierShipment>(client, supplierShipments, [
    ['reference', '=', body.purchase_order_number],
    ['supplier.name', '=', body.supplier],
    ['state', '!=', 'cancelled'],
  ])
  return found ?? null
}

/** The quantity of each line; of several lines with one product, the last takes what the others leave. */
function arrivalsOf(shipment: SupplierShipment, given: readonly { sku: string; quantity: number }[]) {
  const left = new Map<string, number>()
  for (const { sku, quantity } of given) left.set(sku, (left.get(sku) ?? 0) + quantity)
  const moves = shipment['incoming_moves.'].filter(({ state }) => state !== 'cancelled')
  const perSku = Map.groupBy(moves, (move) => move['product.'].code ?? '')
  for (const sku of left.keys()) if (!perSku.has(sku)) throw refused(`${sku} is not announced with this shipment`)
  return [...perSku].flatMap(([sku, lines]) => {
    let rest = left.get(sku)
    if (rest === undefined) throw refused(`Tryton receives a shipment as a whole: ${sku} is missing`)
    return lines.map((move, index) => {
      const quantity = index === lines.length - 1 ? rest! : Math.min(rest!, move.internal_quantity)
      rest! -= quantity
      return { move, quantity }
    })
  })
}

async function mustBeWithin(client: TrytonClient, location: number, warehouse: number): Promise<void> {
  const storage = await placeOf(client, 'stock.location', warehouse, 'storage_location')
  const domain = [
    ['id', '=', location],
    ['parent', 'child_of', [storage], 'parent'],
  ]
  const found = await client.read({ model: 'stock.location', domain, fields: [] })
  if (found.length === 0) throw refused(`Location ${location} is not in the warehouse that this shipment comes to`)
}

async function putAway(client: TrytonClient, shipment: number, location: number): Promise<void> {
  const [found] = await client.read<Row & { inventory_moves: number[] }>({
    model,
    domain: [['id', '=', shipment]],
    fields: ['inventory_moves'],
  })
  for (const move of found?.inventory_moves ?? []) {
    await client.change('stock.move', move, { to_location: location })
  }
}
