import { digits, series } from './seed-catalogue.ts'
import { date, decimal, type TrytonClient } from './tryton-client.ts'
import type { Place } from './tryton-seed.ts'

export const shipmentCounts = {
  draft: 100,
  waiting: 200,
  assigned: 200,
  picked: 100,
  packed: 100,
  done: 1200,
  cancelled: 100,
}

/** Customer shipments `ORD-00001` … of one to four moves, in every state; every tenth of the done ones in a package. */
export async function seedShipments(admin: TrytonClient, place: Place): Promise<number[]> {
  const { customers, carrierIds } = place.parties
  const [customerLocation] = await admin.searchRead('stock.location', [['type', '=', 'customer']], [])
  const total = Object.values(shipmentCounts).reduce((sum, count) => sum + count)
  const rows = series(total, (i) => {
    const nth = i % place.warehouses.length
    const warehouse = place.warehouses[nth]!
    const customer = customers[i % customers.length]!
    return {
      customer: customer.id,
      delivery_address: customer.addressId,
      warehouse: warehouse.id,
      company: place.company.id,
      reference: `ORD-${digits(i, 5)}`,
      planned_date: date(`2025-${digits(1 + (i % 12), 2)}-${digits(1 + (i % 28), 2)}`),
      ...(i % 4 !== 0 && { carrier: carrierIds[i % carrierIds.length] }),
      outgoing_moves: [
        ['create', moves(place, i, 1 + (i % 4), nth + 1, { from: warehouse.outputId, to: customerLocation!.id })],
      ],
    }
  })
  const ids = await inChunks(rows, (chunk) => admin.create('stock.shipment.out', chunk))
  await advance(admin, ids)
  return ids
}

/** Brings the shipments, in the order of their ids, to the states counted above. */
async function advance(admin: TrytonClient, ids: number[]): Promise<void> {
  const counts = shipmentCounts
  const rest = [...ids]
  rest.splice(0, counts.draft)
  const press = (button: string, on: number[]) =>
    inChunks(on, (chunk) => admin.button('stock.shipment.out', button, chunk))
  await press('cancel', rest.splice(0, counts.cancelled))
  await press('wait', rest)
  rest.splice(0, counts.waiting)
  await press('assign_try', rest)
  rest.splice(0, counts.assigned)
  await press('pick', rest)
  await packInPackages(
    admin,
    rest.slice(-counts.done).filter((_, i) => i % 10 === 0),
  )
  rest.splice(0, counts.picked)
  await press('pack', rest)
  rest.splice(0, counts.packed)
  await press('done', rest)
}

async function packInPackages(admin: TrytonClient, shipmentIds: number[]): Promise<void> {
  const [box] = await admin.create('stock.package.type', [{ name: 'Box' }])
  const shipments = await admin.searchRead<Shipment>(
    'stock.shipment.out',
    [['id', 'in', shipmentIds]],
    ['outgoing_moves'],
  )
  await admin.create(
    'stock.package',
    shipments.map(({ id, outgoing_moves }) => ({
      shipment: `stock.shipment.out,${id}`,
      type: box,
      shipping_reference: `TRACK-${digits(id, 6)}`,
      moves: [['add', outgoing_moves]],
    })),
  )
}

type Shipment = { id: number; outgoing_moves: number[] }

/**
 * Products that the warehouse holds, each `step`th of the catalogue, with a lot where lots are kept. Shipments created in
 * one call share products, because Tryton loads a product's prices one by one.
 */
export function moves(place: Place, i: number, count: number, step: number, way: { from: number; to: number }) {
  const { activeProductIds, lots, unitId } = place.catalogue
  const held = activeProductIds.filter((_, index) => index % step === 0)
  return series(count, (nth) => {
    const product = held[(Math.floor(i / 5) + nth) % held.length]!
    return {
      product,
      lot: lots.find(({ productId }) => productId === product)?.id,
      quantity: 1 + ((i + nth) % 3),
      uom: unitId,
      from_location: way.from,
      to_location: way.to,
      company: place.company.id,
      currency: place.company.currencyId,
      unit_price: decimal('19.90'),
    }
  })
}

/** Fifty records a call: Tryton's work on a call, and the number of its warnings, grow faster than the call. */
export async function inChunks<Item>(items: Item[], call: (chunk: Item[]) => Promise<unknown>): Promise<number[]> {
  const results: unknown[] = []
  for (let start = 0; start < items.length; start += 50) results.push(await call(items.slice(start, start + 50)))
  return results.flat() as number[]
}
