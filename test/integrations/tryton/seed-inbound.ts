import { digits, series } from './seed-catalogue.ts'
import { createWithMoves, type Drafted, inChunks, moves } from './seed-moves.ts'
import { date, type TrytonClient } from './tryton-client.ts'
import type { Place } from './tryton-seed.ts'

export const inboundShipmentCounts = { draft: 60, received: 40, done: 80, cancelled: 20 }

export const returnCounts = { draft: 30, received: 20, done: 40, cancelled: 10 }

/** Supplier shipments `ASN-00001` … of one to four moves, in every state. */
export async function seedInboundShipments(admin: TrytonClient, place: Place): Promise<void> {
  const [supplierLocation] = await admin.searchRead('stock.location', [['type', '=', 'supplier']], [])
  const shipments = series(sum(inboundShipmentCounts), (i) => {
    const warehouse = place.warehouses[i % place.warehouses.length]!
    const supplier = place.parties.suppliers[i % place.parties.suppliers.length]!
    return {
      row: {
        supplier: supplier.id,
        contact_address: supplier.addressId,
        warehouse: warehouse.id,
        company: place.company.id,
        reference: `ASN-${digits(i, 5)}`,
        planned_date: date(`2025-${digits(1 + (i % 12), 2)}-15`),
      },
      moves: moves(place, i, 1 + (i % 4), 1, { from: supplierLocation!.id, to: warehouse.inputId }),
    }
  })
  await receive(admin, 'stock.shipment.in', shipments, inboundShipmentCounts)
}

/** Customer returns `RMA-00001` … of one or two moves, in every state. */
export async function seedReturns(admin: TrytonClient, place: Place): Promise<void> {
  const [customerLocation] = await admin.searchRead('stock.location', [['type', '=', 'customer']], [])
  const shipments = series(sum(returnCounts), (i) => {
    const warehouse = place.warehouses[i % place.warehouses.length]!
    const customer = place.parties.customers[i % place.parties.customers.length]!
    return {
      row: {
        customer: customer.id,
        delivery_address: customer.addressId,
        warehouse: warehouse.id,
        company: place.company.id,
        reference: `RMA-${digits(i, 5)}`,
      },
      moves: moves(place, i, 1 + (i % 2), 1, { from: customerLocation!.id, to: warehouse.inputId }),
    }
  })
  await receive(admin, 'stock.shipment.out.return', shipments, returnCounts)
}

type Counts = { draft: number; received: number; done: number; cancelled: number }

const sum = (counts: Counts) => counts.draft + counts.received + counts.done + counts.cancelled

async function receive(admin: TrytonClient, model: string, shipments: Drafted[], counts: Counts) {
  const ids = await createWithMoves(admin, model, shipments)
  const press = (button: string, on: number[]) => inChunks(on, (chunk) => admin.button(model, button, chunk))
  const rest = ids.slice(counts.draft)
  await press('cancel', rest.splice(0, counts.cancelled))
  await press('receive', rest)
  await press('done', rest.slice(counts.received))
}
