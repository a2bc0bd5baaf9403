import { seedCatalogue } from './seed-catalogue.ts'
import { type Company, seedCompany } from './seed-company.ts'
import { seedInboundShipments, seedReturns } from './seed-inbound.ts'
import { seedParties } from './seed-parties.ts'
import { seedShipments } from './seed-shipments.ts'
import { seedStock } from './seed-stock.ts'
import { seedUsers } from './seed-users.ts'
import { seedWarehouses } from './seed-warehouses.ts'
import type { TrytonClient } from './tryton-client.ts'

/**
 * Fills an empty database with a warehouse's worth of records, always the same ones. Only the times of creation and the
 * effective dates of what is done are those of the day it runs.
 *
 * @returns what tests refer to, by Tryton's ids
 */
export async function seedTryton(admin: TrytonClient) {
  const company = await seedCompany(admin)
  const catalogue = await seedCatalogue(admin)
  const warehouses = await seedWarehouses(admin)
  const parties = await seedParties(admin, company)
  const place: Place = { company, warehouses, catalogue, parties }
  await seedStock(admin, place)
  const users = await seedUsers(admin, company)
  await seedShipments(admin, place)
  await seedInboundShipments(admin, place)
  await seedReturns(admin, place)
  return { ...place, users }
}

export type Seeded = Awaited<ReturnType<typeof seedTryton>>

/** What shipments, returns and stock refer to. */
export type Place = {
  company: Company
  warehouses: Awaited<ReturnType<typeof seedWarehouses>>
  catalogue: Awaited<ReturnType<typeof seedCatalogue>>
  parties: Awaited<ReturnType<typeof seedParties>>
}
