import { digits, series } from './seed-catalogue.ts'
import { createWithMoves, inChunks, moves } from './seed-moves.ts'
import { date, type TrytonClient } from './tryton-client.ts'
import type { Place } from './tryton-seed.ts'

/** Most of them before picking: that and what follows is where Tryton takes its time. */
export const shipmentCounts = {
  draft: 800,
  waiting: 400,
  assigned: 200,
  picked: 100,
  packed: 100,
  done: 300,
  cancelled: 100,
}

/** Customer shipments `ORD-00001` … of one to four moves, in every state; every tenth of the done ones in a package. */
export async function seedShipments(admin: TrytonClient, place: Place): Promise<void> {
  const { customers, carrierIds } = place.parties
  const [customerLocation] = await admin.searchRead('stock.location', [['type', '=', 'customer']], [])
  const total = Object.values(shipmentCounts).reduce((sum, count) => sum + count)
  const beforePicking = total - shipmentCounts.picked - shipmentCounts.packed - shipmentCounts.done
  const shipments = series(total, (i) => {
    const nth = i % place.warehouses.length
    const warehouse = place.warehouses[nth]!
    const customer = customers[i % customers.length]!
    const way = { from: warehouse.outputId, to: customerLocation!.id }
    return {
      row: {
        customer: customer.id,
        delivery_address: customer.addressId,
        warehouse: warehouse.id,
        company: place.company.id,
        reference: `ORD-${digits(i, 5)}`,
        planned_date: date(`2025-${digits(1 + (i % 12), 2)}-${digits(1 + (i % 28), 2)}`),
        // What gets packed has one: Tryton warns of every single shipment that is packed without.
        ...((i % 4 !== 0 || i > beforePicking) && { carrier: carrierIds[i % carrierIds.length] }),
      },
      moves: moves(place, i, [4, 1, 1, 2, 1, 3, 1, 1, 2, 1][i % 10]!, nth + 1, way),
    }
  })
  const ids = await createWithMoves(admin, 'stock.shipment.out', shipments)
  await advance(admin, ids)
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
