import type { Asn, Stock } from '../../../integrations/sandbox/documents.ts'
import type { WarehouseRequests } from '../../../integrations/sandbox/requests.ts'
import type { Booking } from '../booking.ts'
import { address } from '../generate/premises.ts'
import { Refusal } from '../refusal.ts'
import { stockBySku } from './articles.ts'
import { enter } from './movements.ts'
import { levelAt, putIn, requireSlot } from './shelves.ts'

/** Announces a delivery: its goods are expected from now on. */
export async function addAsn(booking: Booking, fields: WarehouseRequests['addAsn']): Promise<Asn> {
  await requireFacility(booking, fields.facility)
  const lines = await announced(booking, fields.lines)
  const [number] = await booking.numbers(1)
  const client = lines[0]!.client
  const asn = booking.add('asns', {
    id: `N${number}`,
    client,
    facility: fields.facility,
    po_number: fields.po_number,
    vendor: await vendorOf(booking, fields.vendor, client),
    state: 'ANNOUNCED',
    eta: new Date(fields.eta).toISOString(),
    origin: address({ company: fields.vendor }),
    trackings: fields.tracking ? [fields.tracking] : [],
    remarks: [],
    lines: lines.map(({ client: _, ...line }) => line),
    receipts: [],
  })
  await expect(booking, asn, 1)
  return asn
}

/** @throws Refusal 409 for one that is over, and for lines of which something has arrived */
export async function changeAsn(booking: Booking, id: string, fields: WarehouseRequests['changeAsn']): Promise<Asn> {
  const asn = await booking.get('asns', id)
  requireOpen(asn, 'changed')
  if (fields.lines && asn.receipts.length > 0) {
    throw new Refusal(409, `Some of ${asn.po_number} has arrived, its lines cannot be changed`)
  }
  if (fields.facility) await requireFacility(booking, fields.facility)
  await expect(booking, asn, -1)
  asn.facility = fields.facility ?? asn.facility
  asn.po_number = fields.po_number ?? asn.po_number
  asn.eta = fields.eta ? new Date(fields.eta).toISOString() : asn.eta
  if (fields.tracking) asn.trackings = [fields.tracking]
  if (fields.vendor) asn.vendor = await vendorOf(booking, fields.vendor, asn.client)
  if (fields.lines) asn.lines = (await announced(booking, fields.lines)).map(({ client: _, ...line }) => line)
  await expect(booking, asn, 1)
  return booking.change('asns', asn)
}

/** Puts what arrived into a slot: the stock grows, the ledger tells why, less is expected. */
export async function receive(booking: Booking, id: string, wanted: WarehouseRequests['receive']): Promise<Asn> {
  const asn = await booking.get('asns', id)
  requireOpen(asn, 'received')
  await requireSlot(booking, wanted.slot, asn.facility)
  const items = await stockBySku(
    booking,
    wanted.lines.map(({ sku }) => sku),
  )
  await expect(booking, asn, -1)
  for (const { sku, qty } of wanted.lines) {
    const item = items.get(sku)!
    const lines = asn.lines.filter((line) => line.stock === item.id)
    if (lines.length === 0) asn.lines.push({ ...announcedLine(item, 0), received: qty })
    else fill(lines, qty)
    putIn(item, asn.facility, wanted.slot, qty)
    booking.change('stock', item)
  }
  await enter(
    booking,
    wanted.lines.map(({ sku, qty }) => ({
      stock: items.get(sku)!,
      facility: asn.facility,
      slot: wanted.slot,
      code: 'GOODS_IN',
      qty,
      note: null,
      cause: { kind: 'asns', id: asn.id },
    })),
  )
  const arrived = wanted.lines.map(({ sku, qty }) => ({ stock: items.get(sku)!.id, sku, qty }))
  asn.receipts.push({ no: `${asn.id}-R${asn.receipts.length + 1}`, at: booking.now, lines: arrived })
  asn.state = asn.lines.every(({ announced, received }) => received >= announced) ? 'BOOKED' : 'UNLOADING'
  await expect(booking, asn, 1)
  return booking.change('asns', asn)
}

/** One line after the other; the last takes what is too many. */
function fill(lines: readonly Asn['lines'][number][], qty: number) {
  let rest = qty
  for (const line of lines) {
    const taken = line === lines.at(-1) ? rest : Math.min(rest, Math.max(line.announced - line.received, 0))
    line.received += taken
    rest -= taken
  }
}

/** Adds what is still to come to what is expected, or takes it off again. */
async function expect(booking: Booking, asn: Asn, sign: 1 | -1) {
  if (asn.state === 'BOOKED') return
  const items = await booking.find(
    'stock',
    asn.lines.map(({ stock }) => stock),
  )
  for (const { stock, announced, received } of asn.lines) {
    const item = items.get(stock)
    if (!item || announced <= received) continue
    levelAt(item, asn.facility).expected += sign * (announced - received)
    booking.change('stock', item)
  }
}

async function announced(booking: Booking, lines: readonly { sku: string; qty: number }[]) {
  const items = await stockBySku(
    booking,
    lines.map(({ sku }) => sku),
  )
  return lines.map(({ sku, qty }) => ({ client: items.get(sku)!.client, ...announcedLine(items.get(sku)!, qty) }))
}

const announcedLine = ({ id: stock, sku, cost_cents }: Stock, announced: number): Asn['lines'][number] => ({
  stock,
  sku,
  announced,
  received: 0,
  cost_cents,
  vendor_code: null,
})

/** By name; a vendor that is not known yet is from now on. */
async function vendorOf(booking: Booking, title: string, client: string): Promise<Asn['vendor']> {
  await booking.alone(`vendor ${title}`)
  const [known] = await booking.findBy('vendors', 'title', [title])
  if (known) return { id: known.id, title: known.title }
  const [number] = await booking.numbers(1)
  const { id } = booking.add('vendors', { id: `V${number}`, title, client })
  return { id, title }
}

async function requireFacility(booking: Booking, id: string) {
  if ((await booking.find('facilities', [id])).size === 0) throw new Refusal(422, `There is no facility ${id}`)
}

function requireOpen(asn: Asn, doing: string) {
  if (asn.state === 'BOOKED' || asn.state === 'CANCELLED') {
    throw new Refusal(409, `${asn.po_number} is ${asn.state} and cannot be ${doing}`)
  }
}
