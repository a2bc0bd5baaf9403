import type { SourceRecord } from '../../resources/define.ts'
import type { returns } from '../../resources/wms/returns.ts'
import type { Source } from './changes.ts'
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
}

/** Put away as a whole: what is done is back in stock. */
export function toReturn(shipment: CustomerReturn): SourceRecord<typeof returns> {
  const { state } = shipment
  return {
    ...stamp(shipment, shipment['incoming_moves.']),
    warehouse_customer_id: String(shipment.customer),
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
