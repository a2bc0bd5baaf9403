import { inChunks } from './seed-moves.ts'
import { date, type TrytonClient } from './tryton-client.ts'
import type { Place } from './tryton-seed.ts'

/**
 * Counts stock into the bins: the first warehouse holds every active product, the second every second one, the third
 * every third one; every fourth product lies in two bins of a warehouse, and each lot in a bin of its own.
 */
export async function seedStock(admin: TrytonClient, { company, warehouses, catalogue }: Place): Promise<void> {
  const inventories = warehouses.flatMap((warehouse, w) => {
    const bins = warehouse.binIds.map((location) => ({ location, lines: [] as Line[] }))
    const put = (bin: number, line: Line) => bins[bin % bins.length]!.lines.push(line)
    catalogue.activeProductIds.forEach((product, i) => {
      if (i % (w + 1) !== 0) return
      const lots = catalogue.lots.filter(({ productId }) => productId === product)
      for (const [nth, lot] of lots.entries()) put(i + nth, { product, lot: lot.id, quantity: 200 })
      if (lots.length === 0) put(i, { product, quantity: 100 + (i % 50) })
      if (lots.length === 0 && i % 4 === 0) put(i + 7, { product, quantity: 25 })
    })
    return bins
  })
  const inventoryIds = await admin.create(
    'stock.inventory',
    inventories.map(({ location, lines }) => ({
      location,
      company: company.id,
      date: date('2025-01-06'),
      lines: [['create', lines]],
    })),
  )
  await inChunks(inventoryIds, (chunk) => admin.button('stock.inventory', 'confirm', chunk), 10)
}

type Line = { product: number; lot?: number; quantity: number }
