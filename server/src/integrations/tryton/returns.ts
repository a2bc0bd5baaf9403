import type { SourceRecord } from '../../resources/define.ts'
import type { returns } from '../../resources/wms/returns.ts'
import type { Page, PageRequest } from '../define.ts'
import { changedPage, type Source } from './changes.ts'
import type { Row, TrytonClient } from './client.ts'
import { receivingStatuses } from './inbound-shipments.ts'
import { linesOf, type Move, moveFields } from './moves.ts'
import { toPieces } from './quantities.ts'
import { type Dated, stamp } from './stamps.ts'

/** What customers send back: `stock.shipment.out.return`, whose lines are its incoming moves. */
export const customerReturns: Source = {
  model: 'stock.shipment.out.return',
  fields: [
    'number',
    'reference',
    'state',
    'customer',
    'warehouse',
    'effective_date',
    ...moveFields('incoming_moves'),
    'create_date',
    'write_date',
  ],
  parts: ['moves'],
}

export interface CustomerReturn extends Dated {
  id: number
  number: string | null
  reference: string | null
  state: string
  customer: number
  warehouse: number
  effective_date: string | null
  'incoming_moves.': Move[]
  /** The customer shipment whose lines come back, where Tryton was told. */
  order?: number | null
}

export async function returnsPage(client: TrytonClient, request: PageRequest): Promise<Page<CustomerReturn>> {
  const page = await changedPage<CustomerReturn>(client, customerReturns, request)
  return { ...page, items: await withOrders(client, page.items) }
}

/**
 * A line that comes back has the line that went out as its origin, by which the order is found. Tryton lists the field
 * only to users who may read everything that can be an origin, sales and purchases too; asked for by name, it tells it.
 */
export async function withOrders(client: TrytonClient, found: readonly CustomerReturn[]): Promise<CustomerReturn[]> {
  const lines = found.flatMap((shipment) => shipment['incoming_moves.'].map(({ id }) => id))
  if (lines.length === 0) return [...found]
  const asked = await client.readByName<Row & { origin: string | null }>('stock.move', lines, ['origin'])
  const origins = new Map(asked.map(({ id, origin }) => [id, idIn('stock.move', origin)]))
  const moves = await client.read<Row & { shipment: string | null }>({
    model: 'stock.move',
    domain: [['id', 'in', [...new Set([...origins.values()].filter((id) => id !== null))]]],
    fields: ['shipment'],
  })
  const orders = new Map(moves.map(({ id, shipment }) => [id, idIn('stock.shipment.out', shipment)]))
  return found.map((shipment) => {
    const [order = null] = shipment['incoming_moves.'].flatMap(({ id }) => orders.get(origins.get(id) ?? 0) ?? [])
    return { ...shipment, order }
  })
}

/** Of a reference like `stock.move,12`. */
function idIn(model: string, reference: string | null | undefined): number | null {
  const [owner, id] = (reference ?? '').split(',')
  return owner === model && id ? Number(id) : null
}

/** Put away as a whole: what is done is back in stock. */
export function toReturn(shipment: CustomerReturn): SourceRecord<typeof returns> {
  const { state } = shipment
  return {
    ...stamp(shipment, shipment['incoming_moves.']),
    warehouse_customer_id: String(shipment.customer),
    order_id: shipment.order ? String(shipment.order) : null,
    status: receivingStatuses[state] ?? 'other',
    raw_status: state,
    line_items: linesOf(state, shipment['incoming_moves.']).map((line) => {
      const quantity = toPieces(line.internal_quantity)
      return {
        inventory_item_id: String(line.product),
        sku: line['product.'].code || null,
        expected_quantity: quantity,
        received_quantity: line.state === 'done' ? quantity : 0,
        restocked_quantity: state === 'done' ? quantity : 0,
        quantity,
        warehouse_id: String(shipment.warehouse),
        returned_date: shipment.effective_date,
      }
    }),
    additional_fields: { return_number: shipment.reference || shipment.number || String(shipment.id) },
  }
}
