import type { Rma, RmaLine } from '../../../integrations/sandbox/documents.ts'
import type { WarehouseRequests } from '../../../integrations/sandbox/requests.ts'
import type { Booking } from '../booking.ts'
import { binOf } from '../generate/flows.ts'
import { returnReasons } from '../generate/returns.ts'
import { Refusal } from '../refusal.ts'
import { stockBySku } from './articles.ts'
import { boxOf } from './boxes.ts'
import { enter, type Moved } from './movements.ts'
import { putIn } from './shelves.ts'

type Lines = NonNullable<WarehouseRequests['changeRma']['lines']>

export async function addRma(booking: Booking, fields: WarehouseRequests['addRma']): Promise<Rma> {
  const order = (await booking.find('orders', [fields.order])).get(fields.order)
  if (!order) throw new Refusal(422, `There is no order ${fields.order}`)
  const [number] = await booking.numbers(1)
  return booking.add('rmas', {
    id: `R${number}`,
    number: fields.number,
    client: order.client,
    facility: fields.facility ?? order.facility,
    order: order.id,
    state: 'ANNOUNCED',
    remarks: [],
    lines: await linesOf(booking, fields.lines, []),
    parcels: fields.tracking ? [parcel(fields.tracking)] : [],
  })
}

export async function changeRma(booking: Booking, id: string, fields: WarehouseRequests['changeRma']): Promise<Rma> {
  const rma = await booking.get('rmas', id)
  requireUnderWay(rma, 'changed')
  if (fields.order !== undefined) {
    if ((await booking.find('orders', [fields.order])).size === 0) {
      throw new Refusal(422, `There is no order ${fields.order}`)
    }
    rma.order = fields.order
  }
  rma.number = fields.number ?? rma.number
  rma.facility = fields.facility ?? rma.facility
  if (fields.lines) rma.lines = await linesOf(booking, fields.lines, rma.lines)
  return booking.change('rmas', rma)
}

export async function cancelRma(booking: Booking, id: string): Promise<Rma> {
  const rma = await booking.get('rmas', id)
  requireUnderWay(rma, 'cancelled')
  rma.state = 'CANCELLED'
  return booking.change('rmas', rma)
}

/** Everything announced arrives in good condition and goes back on the shelves. */
export async function takeBack(booking: Booking, id: string): Promise<Rma> {
  const rma = await booking.get('rmas', id)
  if (rma.state === 'BOOKED' || rma.state === 'CANCELLED') {
    throw new Refusal(409, `${rma.number} is ${rma.state} and cannot be received`)
  }
  const items = await booking.find(
    'stock',
    rma.lines.map(({ stock }) => stock),
  )
  const moved: Moved[] = []
  for (const line of rma.lines) {
    const qty = line.announced - line.findings.reduce((total, finding) => total + finding.qty, 0)
    if (qty <= 0) continue
    line.findings.push({ qty, condition: 'GOOD', disposition: 'RESTOCKED' })
    const item = items.get(line.stock)!
    const slot = binOf(item.id, rma.facility)
    putIn(item, rma.facility, slot, qty)
    booking.change('stock', item)
    moved.push({
      stock: item,
      facility: rma.facility,
      slot,
      code: 'RMA_IN',
      qty,
      note: 'RESTOCKED',
      cause: { kind: 'rmas', id: rma.id },
    })
  }
  if (moved.length > 0) await enter(booking, moved)
  for (const parcel of rma.parcels) parcel.arrived ??= booking.now
  rma.state = 'BOOKED'
  return booking.change('rmas', rma)
}

async function linesOf(booking: Booking, wanted: Lines, current: readonly RmaLine[]): Promise<RmaLine[]> {
  const items = await stockBySku(
    booking,
    wanted.map(({ sku }) => sku),
  )
  return wanted.map(({ sku, qty, reason }) => {
    const stock = items.get(sku)!.id
    const before = current.find((line) => line.stock === stock)
    return { stock, sku, announced: qty, reason: reason ? causeOf(reason) : (before?.reason ?? null), findings: [] }
  })
}

/** @throws Refusal 422 for a code that is not used here */
function causeOf({ code, text }: NonNullable<Lines[number]['reason']>): NonNullable<RmaLine['reason']> {
  const known = returnReasons.find((reason) => reason.code === code)
  if (!known) throw new Refusal(422, `There is no return cause ${code}`)
  return { code, text: text ?? known.text }
}

function requireUnderWay(rma: Rma, doing: string) {
  if (rma.state !== 'ANNOUNCED' && rma.state !== 'IN_TRANSIT') {
    throw new Refusal(409, `${rma.number} is ${rma.state} and cannot be ${doing}`)
  }
}

const parcel = (tracking: string): Rma['parcels'][number] => ({
  tracking,
  carrier: null,
  sent: null,
  arrived: null,
  cost_cents: null,
  box: boxOf(),
})
