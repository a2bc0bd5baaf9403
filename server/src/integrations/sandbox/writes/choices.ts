import type { WarehouseClient } from '../client.ts'

/** The values a warehouse allows, asked of itself. */
export const choices = {
  facilities: async (warehouse: WarehouseClient) => (await warehouse.list('facilities')).map(({ id }) => id),
  slots: async (warehouse: WarehouseClient) => (await warehouse.list('slots')).map(({ id }) => id),
  serviceIds: async (warehouse: WarehouseClient) => (await warehouse.list('services')).map(({ id }) => id),
  serviceTitles: async (warehouse: WarehouseClient) => unique((await warehouse.list('services')).map((s) => s.title)),
  carrierCodes: async (warehouse: WarehouseClient) =>
    unique((await warehouse.list('services')).map(({ carrier }) => carrier.code)),
  carrierTitles: async (warehouse: WarehouseClient) =>
    unique((await warehouse.list('services')).map(({ carrier }) => carrier.title)),
  returnCodes: async (warehouse: WarehouseClient) => (await warehouse.returnCauses()).map(({ code }) => code),
  returnReasons: async (warehouse: WarehouseClient) => (await warehouse.returnCauses()).map(({ text }) => text),
}

const unique = (values: readonly string[]) => [...new Set(values)]
