import { digits, series } from './seed-catalogue.ts'
import type { TrytonClient } from './tryton-client.ts'

/** The warehouse that every database begins with and two more, 20 bins in the storage zone of each. */
export async function seedWarehouses(admin: TrytonClient) {
  const [lostAndFound] = await admin.searchRead('stock.location', [['type', '=', 'lost_found']], [])
  for (const [name, code] of [
    ['East', 'EAST'],
    ['West', 'WEST'],
  ]) {
    const zones = ['Input', 'Output', 'Storage'].map((zone) => ({
      name: `${name} ${zone}`,
      code: `${code}-${zone.slice(0, 3).toUpperCase()}`,
      type: 'storage',
    }))
    const [input, output, storage] = await admin.create('stock.location', zones)
    await admin.create('stock.location', [
      {
        name,
        code,
        type: 'warehouse',
        input_location: input,
        output_location: output,
        storage_location: storage,
        lost_found_location: lostAndFound!.id,
      },
    ])
  }
  const zones = ['code', 'input_location', 'output_location', 'storage_location']
  const warehouses = await admin.searchRead<Warehouse>('stock.location', [['type', '=', 'warehouse']], zones)
  return Promise.all(
    warehouses.map(async (warehouse) => ({
      id: warehouse.id,
      inputId: warehouse.input_location,
      outputId: warehouse.output_location,
      binIds: await admin.create(
        'stock.location',
        series(20, (i) => ({
          name: `Bin ${i}`,
          code: `${warehouse.code}-${digits(i, 2)}`,
          type: 'storage',
          parent: warehouse.storage_location,
        })),
      ),
    })),
  )
}

type Warehouse = {
  id: number
  code: string
  input_location: number
  output_location: number
  storage_location: number
}
