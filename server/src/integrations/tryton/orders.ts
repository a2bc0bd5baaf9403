import type { SourceRecord } from '../../resources/define.ts'
import type { orders } from '../../resources/wms/orders.ts'
import { type Address, addressFields, type Recipient, toAddress, toContactAddress } from './addresses.ts'
import type { Source } from './changes.ts'
import { linesOf, type Move, moveFields, perProduct, unitPrice } from './moves.ts'
import { type Carrier, methodName } from './parties.ts'
import { toPieces } from './quantities.ts'
import { type Dated, stamp } from './stamps.ts'

/** An order to the warehouse is a customer shipment: `stock.shipment.out`, whose lines are its outgoing moves. */
export const customerShipments: Source = {
  model: 'stock.shipment.out',
  fields: [
    'number',
    'reference',
    'state',
    'partially_assigned',
    'customer',
    ...['name', 'phone', 'email'].map((name) => `customer.${name}`),
    'warehouse',
    ...addressFields('warehouse.address'),
    'planned_date',
    'effective_date',
    'carrier',
    'carrier.party',
    'carrier.party.name',
    'carrier.carrier_product.name',
    'company.currency.code',
    ...addressFields('delivery_address'),
    ...moveFields('outgoing_moves'),
    'outgoing_moves.currency.code',
    ...['code', 'type.name', 'shipping_reference', 'shipping_tracking_url', 'create_date', 'write_date'].map(
      (name) => `packages.${name}`,
    ),
    ...['product', 'product.code', 'internal_quantity', 'lot.number'].map((name) => `packages.moves.${name}`),
    'create_date',
    'write_date',
  ],
  parts: ['moves', 'packages'],
}

export interface CustomerShipment extends Dated {
  id: number
  number: string | null
  reference: string | null
  state: string
  partially_assigned?: boolean | number
  customer: number
  'customer.': Recipient
  warehouse: number
  'warehouse.': { 'address.': Address | null } | null
  planned_date: string | null
  effective_date: string | null
  'carrier.'?: Carrier | null
  'company.': { 'currency.': { code: string } }
  'delivery_address.': Address | null
  'outgoing_moves.': (Move & { 'currency.': { code: string } | null })[]
  'packages.'?: Package[]
}

interface Package extends Dated {
  id: number
  code: string
  'type.': { name: string } | null
  shipping_reference?: string | null
  shipping_tracking_url?: string | null
  'moves.': Pick<Move, 'id' | 'product' | 'product.' | 'internal_quantity' | 'lot.'>[]
}

type Order = SourceRecord<typeof orders>
type Shipment = NonNullable<Order['shipments']>[number]

export function toOrder(shipment: CustomerShipment): Order {
  const { state, number, reference, customer, warehouse } = shipment
  const lines = linesOf(state, shipment['outgoing_moves.'])
  const orderNumber = number || String(shipment.id)
  return {
    ...stamp(shipment, [...shipment['outgoing_moves.'], ...(shipment['packages.'] ?? [])]),
    warehouse_customer_id: String(customer),
    warehouse_id: String(warehouse),
    reference_id: reference || orderNumber,
    order_number: orderNumber,
    status: state === 'waiting' && shipment.partially_assigned ? 'backordered' : (statuses[state] ?? 'other'),
    raw_status: state,
    trading_partner: shipment['customer.'].name,
    ...toMethod(shipment['carrier.']),
    invoice_currency_code: lines[0]?.['currency.']?.code ?? shipment['company.']['currency.'].code,
    ship_to_address: toContactAddress(shipment['delivery_address.'], shipment['customer.']),
    line_items: lines.map((line) => ({
      product_id: String(line.product),
      sku: line['product.'].code || null,
      quantity: toPieces(line.internal_quantity),
      unit_price: unitPrice(line),
      is_picked: pickedStates.has(state),
    })),
    required_ship_date: shipment.planned_date,
    shipments: shippedStates.has(state) ? [toShipment(shipment, lines)] : [],
  }
}

function toShipment(shipment: CustomerShipment, lines: readonly Move[]): Shipment {
  const method = toMethod(shipment['carrier.'])
  return {
    shipment_id: shipmentId(shipment.id),
    warehouse_id: String(shipment.warehouse),
    raw_status: shipment.state,
    status: 'shipped',
    shipped_date: shipment.effective_date,
    shipping_method: method.shipping_method,
    line_items: perProduct(lines),
    ship_to_address: toContactAddress(shipment['delivery_address.'], shipment['customer.']),
    ship_from_address: toAddress(shipment['warehouse.']?.['address.'] ?? null),
    packages: (shipment['packages.'] ?? []).toSorted(byId).map((box) => ({
      package_id: String(box.id),
      package_name: box['type.']?.name ?? box.code,
      tracking_number: box.shipping_reference || null,
      tracking_url: box.shipping_tracking_url || null,
      ...method,
      line_items: box['moves.'].toSorted(byId).map((move) => ({
        inventory_item_id: String(move.product),
        sku: move['product.'].code || null,
        quantity: toPieces(move.internal_quantity),
        lot_id: move['lot.']?.number ?? null,
      })),
    })),
  }
}

const byId = (a: { id: number }, b: { id: number }) => a.id - b.id

/** A shipment leaves as a whole, so its own id names what left; six digits and more, to be shown in short. */
const shipmentId = (id: number) => `out-${String(id).padStart(6, '0')}`

/** A carrier of Tryton is a party together with one of its services. */
function toMethod(carrier: Carrier | null | undefined) {
  const name = carrier ? methodName(carrier) : null
  return {
    shipping_method: name,
    shipping_method_id: carrier ? String(carrier.id) : null,
    shipping_method_name: name,
    carrier: carrier?.['party.'].name ?? null,
    carrier_id: carrier ? String(carrier.party) : null,
    carrier_name: carrier?.['party.'].name ?? null,
  }
}

/** `shipped` is a state of Tryton 6.6 and later, between `packed` and `done`. */
const statuses: Record<string, Order['status']> = {
  draft: 'open',
  waiting: 'confirmed',
  assigned: 'processing',
  picked: 'picked',
  packed: 'packed',
  shipped: 'fulfilled',
  done: 'fulfilled',
  cancelled: 'cancelled',
}

const pickedStates = new Set(['picked', 'packed', 'shipped', 'done'])
const shippedStates = new Set(['shipped', 'done'])
