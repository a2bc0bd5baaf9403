import type { Row, TrytonClient } from '../client.ts'
import { type Carrier, carriers, methodName } from '../parties.ts'
import { type Warehouse, warehouseSource } from '../premises.ts'

/** The values a Tryton allows, asked of itself. */
export const choices = {
  warehouses: async (client: TrytonClient) => ids(await client.read<Warehouse>(warehouseSource)),
  /** Where goods are kept, which the zones for what comes in and goes out are not. */
  storageLocations: async (client: TrytonClient) => {
    const warehouses = await client.read<Warehouse>(warehouseSource)
    const storages = warehouses.map(({ storage_location }) => storage_location)
    const domain = [
      ['type', '=', 'storage'],
      ['parent', 'child_of', storages, 'parent'],
    ]
    return ids(await client.read({ model: 'stock.location', domain, fields: [] }))
  },
  shippingMethodIds: async (client: TrytonClient) => ids(await readCarriers(client)),
  shippingMethods: async (client: TrytonClient) => unique((await readCarriers(client)).map(methodName)),
  currencies: async (client: TrytonClient) =>
    (await client.read<Row & { code: string }>({ model: 'currency.currency', fields: ['code'] })).map(
      ({ code }) => code,
    ),
  /** Tryton does not mark suppliers as such: everybody it knows may deliver. */
  suppliers: async (client: TrytonClient) => {
    const parties = await client.read<Row & { name: string | null }>({ model: 'party.party', fields: ['name'] })
    return unique(parties.flatMap(({ name }) => name || []))
  },
}

/** None without the module that gives shipments a carrier. */
export const readCarriers = async (client: TrytonClient) =>
  (await client.has('stock.shipment.out', 'carrier')) ? client.read<Carrier>(carriers) : []

const ids = (rows: readonly Row[]) => rows.map(({ id }) => String(id))
const unique = (values: readonly string[]) => [...new Set(values)]
