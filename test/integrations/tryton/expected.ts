import type { Json } from './connected.ts'
import type { TrytonClient, TrytonRow } from './tryton-client.ts'

/*
 * What the lists have to say, worked out from what Tryton's own client reads, by other ways than the integration goes:
 * stock is summed up from moves, states are translated by a table of the tests' own.
 */

type Any = Record<string, Json>
const goods = [
  ['type', '=', 'goods'],
  ['active', 'in', [true, false]],
]
const text = String

export async function expectedProducts(admin: TrytonClient) {
  const fields = ['code', 'name', 'active', 'list_price', 'identifiers.code', 'identifiers.type']
  const rows = await admin.searchRead<Any & TrytonRow>('product.product', goods, fields)
  return rows.map((row) => ({
    id: text(row.id),
    sku: row.code,
    name: row.name,
    active: Boolean(row.active),
    unit_price: Number(row.list_price),
    gtin: row['identifiers.'].find((each: Any) => each.type === 'ean')?.code ?? null,
    inventory_items: [{ inventory_item_id: text(row.id), sku: row.code, unit_quantity: 1 }],
  }))
}

/** Of every product in every warehouse, location and lot, from the moves there are. */
export async function expectedInventory(admin: TrytonClient) {
  const products = await admin.searchRead<Any & TrytonRow>('product.product', goods, [
    'code',
    'name',
    'active',
    'cost_price',
  ])
  const warehouses = await admin.searchRead<Any & TrytonRow>(
    'stock.location',
    [['type', '=', 'warehouse']],
    ['storage_location'],
  )
  const locations = await admin.searchRead<Any & TrytonRow>('stock.location', [], ['parent', 'warehouse', 'type'])
  const parentOf = new Map(locations.map(({ id, parent }) => [id, parent as number | null]))
  const warehouseOf = new Map(locations.map(({ id, warehouse }) => [id, warehouse as number | null]))
  const storages = new Set(warehouses.map((warehouse) => warehouse.storage_location as number))
  const isStored = (location: number | null): boolean =>
    location !== null && (storages.has(location) || isStored(parentOf.get(location) ?? null))

  const tally = new Tally()
  const moves = await admin.searchRead<Any & TrytonRow>(
    'stock.move',
    [['state', 'in', ['done', 'assigned', 'draft']]],
    ['product', 'lot.number', 'internal_quantity', 'state', 'from_location', 'to_location'],
  )
  for (const {
    product,
    state,
    from_location: from,
    to_location: to,
    internal_quantity: quantity,
    'lot.': lot,
  } of moves) {
    const [source, target] = [warehouseOf.get(from) ?? null, warehouseOf.get(to) ?? null]
    if (state !== 'done' && target !== null && target !== source) tally.add(quantity, 'awaiting', product, target)
    if (state === 'assigned' && source !== null) {
      tally.add(quantity, 'committed', product, source)
      if (isStored(from)) tally.add(-quantity, 'fulfillable', product, source)
    }
    if (state !== 'done') continue
    for (const [warehouse, location, change] of [
      [source, from, -quantity],
      [target, to, quantity],
    ] as const) {
      if (warehouse === null) continue
      tally.add(change, 'onhand', product, warehouse)
      tally.add(change, 'location', product, warehouse, location)
      if (lot) tally.add(change, 'lot', product, warehouse, lot.number)
      if (isStored(location)) tally.add(change, 'fulfillable', product, warehouse)
    }
  }
  return products.map((product) => {
    const levels = warehouses.map(({ id }) => {
      const [onhand, committed, fulfillable, awaiting] = (
        ['onhand', 'committed', 'fulfillable', 'awaiting'] as const
      ).map((figure) => tally.of(figure, product.id, id)) as [number, number, number, number]
      return {
        warehouse: text(id),
        onhand,
        committed,
        fulfillable,
        awaiting,
        unfulfillable: onhand - committed - fulfillable,
      }
    })
    const sum = (figure: 'onhand' | 'committed' | 'fulfillable' | 'awaiting' | 'unfulfillable') =>
      levels.reduce((total, level) => total + level[figure], 0)
    return {
      id: text(product.id),
      sku: product.code,
      name: product.name,
      active: Boolean(product.active),
      unit_cost: Number(product.cost_price),
      ...Object.fromEntries(
        (['onhand', 'committed', 'fulfillable', 'awaiting', 'unfulfillable'] as const).map((figure) => [
          figure,
          sum(figure),
        ]),
      ),
      inventory_by_warehouse_id: Object.fromEntries(levels.map(({ warehouse, ...level }) => [warehouse, level])),
      locations: tally
        .entries('location', product.id)
        .map(([warehouse, location, quantity]) => ({ location_id: location, quantity, warehouse_id: warehouse })),
      lots: tally
        .entries('lot', product.id)
        .map(([warehouse, lot, onhand]) => ({ lot_id: lot, onhand, warehouse_id: warehouse })),
    }
  })
}

class Tally {
  readonly #sums = new Map<string, number>()

  add(quantity: number, figure: string, product: number, warehouse: number, place: number | string = '') {
    const key = [figure, product, warehouse, place].join('|')
    this.#sums.set(key, (this.#sums.get(key) ?? 0) + quantity)
    const found = this.#places.get(`${figure}|${product}`) ?? new Set()
    this.#places.set(`${figure}|${product}`, found.add(`${warehouse}|${place}`))
  }

  readonly #places = new Map<string, Set<string>>()

  of(figure: string, product: number, warehouse: number) {
    return this.#sums.get([figure, product, warehouse, ''].join('|')) ?? 0
  }

  /** Warehouse, place and quantity of what is not nothing. */
  entries(figure: string, product: number): [string, string, number][] {
    return [...(this.#places.get(`${figure}|${product}`) ?? [])].flatMap((key) => {
      const [warehouse, place] = key.split('|') as [string, string]
      const quantity = this.#sums.get(`${figure}|${product}|${key}`)!
      return quantity === 0 ? [] : [[warehouse, place, quantity]]
    })
  }
}

const orderStates: Record<string, string> = {
  draft: 'open',
  waiting: 'confirmed',
  assigned: 'processing',
  picked: 'picked',
  packed: 'packed',
  done: 'fulfilled',
  cancelled: 'cancelled',
}

export async function expectedOrders(admin: TrytonClient) {
  const shipments = await admin.searchRead<Any & TrytonRow>(
    'stock.shipment.out',
    [],
    [
      'number',
      'reference',
      'state',
      'customer.name',
      'warehouse',
      'planned_date',
      'effective_date',
      'carrier',
      'write_date',
    ],
  )
  const moves = await admin.searchRead<Any & TrytonRow>(
    'stock.move',
    [
      ['shipment', 'like', 'stock.shipment.out,%'],
      ['to_location.type', '=', 'customer'],
    ],
    ['shipment', 'product', 'product.code', 'quantity', 'unit_price'],
  )
  const packages = await admin.searchRead<Any & TrytonRow>('stock.package', [], ['shipment', 'shipping_reference'])
  const linesOf = Map.groupBy(moves, (move) => move.shipment)
  const packagesOf = Map.groupBy(packages, (each) => each.shipment)
  return shipments.map((row) => {
    const key = `stock.shipment.out,${row.id}`
    const lines = linesOf.get(key) ?? []
    return {
      id: text(row.id),
      order_number: row.number,
      reference_id: row.reference,
      status: orderStates[row.state],
      raw_status: row.state,
      trading_partner: row['customer.'].name,
      warehouse_id: text(row.warehouse),
      shipping_method_id: row.carrier === null ? null : text(row.carrier),
      required_ship_date: `${row.planned_date}T00:00:00.000Z`,
      line_items: lines.map((line) => ({
        product_id: text(line.product),
        sku: line['product.'].code,
        quantity: line.quantity,
        unit_price: Number(line.unit_price),
      })),
      shipments:
        row.state === 'done'
          ? [
              {
                shipped_date: `${row.effective_date}T00:00:00.000Z`,
                pieces: lines.reduce((sum, line) => sum + line.quantity, 0),
                tracking_numbers: (packagesOf.get(key) ?? []).map((each) => each.shipping_reference),
              },
            ]
          : [],
    }
  })
}

const receivingStates: Record<string, string> = {
  draft: 'open',
  received: 'receiving',
  done: 'received',
  cancelled: 'cancelled',
}

/** Supplier shipments or customer returns, with what was to come and what came. */
export async function expectedArrivals(admin: TrytonClient, model: 'stock.shipment.in' | 'stock.shipment.out.return') {
  const partner = model === 'stock.shipment.in' ? 'supplier' : 'customer'
  const rows = await admin.searchRead<Any & TrytonRow>(model, [], ['reference', 'state', 'warehouse', partner])
  const moves = await admin.searchRead<Any & TrytonRow>(
    'stock.move',
    [
      ['shipment', 'like', `${model},%`],
      ['from_location.type', '=', partner],
    ],
    ['shipment', 'product', 'quantity', 'state'],
  )
  const linesOf = Map.groupBy(moves, (move) => move.shipment)
  return rows.map((row) => ({
    id: text(row.id),
    reference: row.reference,
    status: receivingStates[row.state],
    raw_status: row.state,
    warehouse_id: text(row.warehouse),
    partner: text(row[partner]),
    line_items: (linesOf.get(`${model},${row.id}`) ?? []).map((line) => ({
      inventory_item_id: text(line.product),
      expected_quantity: line.quantity,
      received_quantity: line.state === 'done' ? line.quantity : 0,
    })),
  }))
}
