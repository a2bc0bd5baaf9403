import type { Recovery } from '../../write.ts'
import type { WarehouseClient } from '../client.ts'
import type { Kind, WarehouseDocuments } from '../documents.ts'

/** The warehouse keeps the reference of every request and tells what it wrote. */
export const written = <K extends Kind>(): Recovery<WarehouseClient, unknown, WarehouseDocuments[K]> => ({
  find: (warehouse, { reference }) => warehouse.written<K>(reference),
})
