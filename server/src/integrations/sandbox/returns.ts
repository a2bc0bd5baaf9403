import type { SourceRecord } from '../../resources/define.ts'
import type { returns } from '../../resources/wms/returns.ts'
import { toCarrier } from './carriers.ts'
import type { Rma } from './documents.ts'
import { stamp, toMeasurements, toMoney } from './values.ts'

type Return = SourceRecord<typeof returns>

export function toReturn(rma: Rma): Return {
  const arrived = rma.parcels.find((parcel) => parcel.arrived)?.arrived ?? null
  return {
    ...stamp(rma),
    warehouse_customer_id: rma.client,
    status: statuses[rma.state] ?? 'other',
    raw_status: rma.state,
    order_id: rma.order,
    notes: rma.remarks,
    line_items: rma.lines.map((line) => ({
      inventory_item_id: line.stock,
      sku: line.sku,
      expected_quantity: line.announced,
      received_quantity: count(line.findings),
      restocked_quantity: count(line.findings.filter((finding) => finding.disposition === 'RESTOCKED')),
      return_reason: line.reason?.text ?? null,
      quantity: line.announced,
      warehouse_id: rma.facility,
      returned_date: arrived,
    })),
    shipments: rma.parcels.map((parcel) => ({
      tracking_number: parcel.tracking,
      shipped_date: parcel.sent,
      arrived_date: parcel.arrived,
      warehouse_id: rma.facility,
      ...toCarrier(parcel.carrier),
      shipping_cost: toMoney(parcel.cost_cents),
      measurements: toMeasurements(parcel.box),
      line_items: rma.lines.map((line) => ({
        inventory_item_id: line.stock,
        sku: line.sku,
        quantity: line.announced,
        receiving_details: line.findings.map(({ qty, condition, disposition }) => ({
          quantity: qty,
          condition: condition.toLowerCase(),
          disposition: disposition.toLowerCase(),
        })),
      })),
    })),
    additional_fields: {
      return_number: rma.number,
      return_cause_codes: Object.fromEntries(
        rma.lines.flatMap((line) => (line.reason ? [[line.stock, line.reason.code]] : [])),
      ),
    },
  }
}

const count = (findings: { qty: number }[]) => findings.reduce((total, { qty }) => total + qty, 0)

const statuses: Record<string, Return['status']> = {
  ANNOUNCED: 'open',
  IN_TRANSIT: 'in-transit',
  UNLOADING: 'receiving',
  BOOKED: 'received',
  CANCELLED: 'cancelled',
}
