import type { SourceRecord } from '../../resources/define.ts'
import type { inventoryLedger } from '../../resources/wms/inventory-ledger.ts'
import type { Page, PageRequest } from '../define.ts'
import { changedPage, type Source } from './changes.ts'
import type { TrytonClient } from './client.ts'
import { toPieces } from './quantities.ts'
import { type Dated, stamp } from './stamps.ts'

const doneMoves: Source = {
  model: 'stock.move',
  domain: [
    ['state', '=', 'done'],
    ['product.type', '=', 'goods'],
  ],
  fields: [
    'product',
    'product.code',
    'internal_quantity',
    'effective_date',
    'shipment',
    ...['from_location', 'to_location'].flatMap((end) => [end, `${end}.name`, `${end}.type`, `${end}.warehouse`]),
    'create_date',
    'write_date',
  ],
  pageSize: 1000,
}

export interface DoneMove extends Dated {
  id: number
  product: number
  'product.': { code: string | null }
  internal_quantity: number
  effective_date: string | null
  /** As `stock.shipment.out,12`. */
  shipment: string | null
  from_location: number
  'from_location.': Place
  to_location: number
  'to_location.': Place
}

interface Place {
  name: string
  type: string
  warehouse: number | null
}

/** What one end of a move did to the stock there. */
export interface MoveEnd {
  move: DoneMove
  end: 'from_location' | 'to_location'
}

/** A move takes stock from one place and brings it to another; each end in a warehouse is an entry of its own. */
export async function ledgerPage(
  client: TrytonClient,
  request: Pick<PageRequest, 'since' | 'cursor'>,
): Promise<Page<MoveEnd>> {
  const page = await changedPage<DoneMove>(client, doneMoves, request)
  const items = page.items.flatMap((move) =>
    (['from_location', 'to_location'] as const)
      .filter((end) => move[`${end}.`].warehouse !== null)
      .map((end) => ({ move, end })),
  )
  return { ...page, items }
}

export function toLedgerEntry({ move, end }: MoveEnd): SourceRecord<typeof inventoryLedger> {
  const { type: from } = move['from_location.']
  const { type: to } = move['to_location.']
  const [model, shipmentId] = (move.shipment ?? '').split(',')
  const objectType = objectTypes[model ?? ''] ?? null
  const pieces = toPieces(move.internal_quantity)
  return {
    ...stamp(move),
    id: `${move.id}-${end === 'from_location' ? 'from' : 'to'}`,
    entry_date: move.effective_date ?? move.create_date,
    inventory_item_id: String(move.product),
    sku: move['product.'].code || String(move.product),
    quantity: end === 'from_location' ? -pieces : pieces,
    raw_event_type: `${from} to ${to}`,
    event_type: eventTypes[`${from} ${to}`] ?? 'other',
    object_id: objectType && shipmentId ? shipmentId : null,
    object_type: objectType,
    warehouse_id: String(move[`${end}.`].warehouse),
    location_id: String(move[end]),
  }
}

/** By the kinds of the two locations; stock that is found or missing comes from or goes to a place for lost goods. */
const eventTypes: Record<string, SourceRecord<typeof inventoryLedger>['event_type']> = {
  'supplier storage': 'inbound_receipt',
  'storage supplier': 'supplier_return',
  'storage customer': 'order_shipment',
  'customer storage': 'return_receipt',
  'lost_found storage': 'adjustment',
  'storage lost_found': 'adjustment',
  'storage storage': 'movement',
}

const objectTypes: Record<string, 'order' | 'inbound_shipment' | 'return'> = {
  'stock.shipment.out': 'order',
  'stock.shipment.in': 'inbound_shipment',
  'stock.shipment.out.return': 'return',
}
