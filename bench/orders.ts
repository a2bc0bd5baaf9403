import { type ReadAction, read } from '../server/src/integrations/define.ts'
import type { SourceRecord } from '../server/src/resources/define.ts'
import { orders } from '../server/src/resources/wms/orders.ts'

/** Reads orders that need no mapping. */
export const ordersAsTheyAre = read(
  orders,
  async () => ({ items: [], next: null }),
  (order: SourceRecord<typeof orders>) => order,
) as ReadAction

/** An order of usual size, about 3 kB as it is answered; another `version` of it differs in a few fields. */
export function orderOf(i: number, version = 0): SourceRecord<typeof orders> {
  const id = `ORD-${String(i).padStart(8, '0')}`
  const created = new Date(Date.UTC(2026, 0, 1) + i * 1000).toISOString()
  const changed = new Date(Date.UTC(2026, 6, 1) + version * 60_000 + i).toISOString()
  const items = [1, 2, 3].map((n) => ({ sku: `SKU-${(i * 7 + n) % 5000}`, product_id: `P-${(i * 7 + n) % 5000}` }))
  const address = {
    full_name: `Receiver ${i % 997}`,
    address1: `${i % 300} Market Street`,
    city: 'Springfield',
    state: 'IL',
    postal_code: String(10_000 + (i % 90_000)),
    country: 'US',
  }
  return {
    id,
    created_date: created,
    updated_date: changed,
    reference_id: `R${i}`,
    order_number: `#${100_000 + i}`,
    status: version % 2 ? 'fulfilled' : 'processing',
    raw_status: version % 2 ? 'done' : 'assigned',
    warehouse_id: `WH-${i % 3}`,
    warehouse_customer_id: `C-${i % 20}`,
    channel: 'web shop',
    type: 'd2c',
    invoice_currency_code: 'USD',
    total_price: 49.9 + (i % 100),
    total_tax: 4.2,
    ship_to_address: address,
    line_items: items.map((item, n) => ({ ...item, quantity: n + 1, unit_price: 9.99, is_picked: version > 0 })),
    tags: ['priority'],
    required_ship_date: changed,
    shipments: [
      {
        shipment_id: `S-${i}`,
        warehouse_id: `WH-${i % 3}`,
        status: 'shipped',
        raw_status: 'done',
        shipped_date: changed,
        line_items: items.map((item) => ({ inventory_item_id: item.product_id, sku: item.sku, quantity: 1 })),
        ship_to_address: address,
        packages: [
          {
            package_id: `PK-${i}`,
            tracking_number: `1Z${i}`,
            carrier_name: 'UPS',
            line_items: items.map((item) => ({ inventory_item_id: item.product_id, sku: item.sku, quantity: 1 })),
          },
        ],
      },
    ],
  }
}
