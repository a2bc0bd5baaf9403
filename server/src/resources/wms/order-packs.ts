import { type Static, Type } from 'typebox'
import { contactAddress } from '../address.ts'
import { deprecated, freeForm, integer, type RecordOf, text, textOrNull } from '../define.ts'
import { measurements } from '../measurements.ts'
import type { orders } from './orders.ts'

/** How an order was packed: `GET /wms/orders/{order_id}/packs`, action `get_order_packs`. */
export const orderPacks = Type.Object({
  packs: Type.Array(
    Type.Object({
      pack_id: text,
      measurements,
      line_items: Type.Array(Type.Object({ inventory_item_id: text, sku: textOrNull, quantity: integer })),
    }),
  ),
  carrier: deprecated(textOrNull),
  carrier_id: textOrNull,
  carrier_name: textOrNull,
  scac: textOrNull,
  shipping_method: deprecated(textOrNull),
  shipping_method_id: textOrNull,
  shipping_method_name: textOrNull,
  ship_to_address: contactAddress,
  order_line_items: Type.Array(Type.Object({ product_id: text, sku: textOrNull, quantity: integer })),
  additional_fields: freeForm,
})

/** The view of a stored order. What the order does not say of its carrier and method, its first package does. */
export function packsOf(order: RecordOf<typeof orders>): Static<typeof orderPacks> {
  const packages = order.shipments.flatMap((shipment) => shipment.packages)
  const first = packages[0]
  return {
    packs: packages.map((packed) => ({
      pack_id: packed.package_id,
      measurements: packed.measurements,
      line_items: packed.line_items.map(({ inventory_item_id, sku, quantity }) => ({
        inventory_item_id,
        sku,
        quantity,
      })),
    })),
    carrier: first?.carrier ?? null,
    carrier_id: order.carrier_id ?? first?.carrier_id ?? null,
    carrier_name: order.carrier_name ?? first?.carrier_name ?? null,
    scac: order.scac ?? first?.scac ?? null,
    shipping_method: order.shipping_method ?? first?.shipping_method ?? null,
    shipping_method_id: order.shipping_method_id ?? first?.shipping_method_id ?? null,
    shipping_method_name: order.shipping_method_name ?? first?.shipping_method_name ?? null,
    ship_to_address: order.ship_to_address,
    order_line_items: order.line_items.map(({ product_id, sku, quantity }) => ({ product_id, sku, quantity })),
    additional_fields: {},
  }
}
