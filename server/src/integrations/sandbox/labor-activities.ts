import type { SourceRecord } from '../../resources/define.ts'
import type { laborActivities } from '../../resources/wms/labor-activities.ts'
import type { Task } from './documents.ts'
import { stamp } from './values.ts'

type LaborActivity = SourceRecord<typeof laborActivities>

export function toLaborActivity(task: Task): LaborActivity {
  const known = activityTypes[task.activity]
  return {
    ...stamp(task),
    warehouse_customer_id: task.client,
    user_id: task.worker.id,
    user_first_name: task.worker.first_name,
    user_last_name: task.worker.last_name,
    warehouse_id: task.facility,
    // an activity of the warehouse's own moves goods about: there is no `other`
    activity_type: known ?? 'transfer',
    activity_start_time: task.started,
    activity_end_time: task.ended,
    associated_object_type: task.about ? objectTypes[task.about.kind] : null,
    associated_object_id: task.about?.id ?? null,
    quantity: task.qty,
    additional_fields: known ? {} : { raw_activity_type: task.activity },
  }
}

const activityTypes: Record<string, LaborActivity['activity_type']> = {
  PICK: 'pick',
  PACK: 'pack',
  PUT_AWAY: 'put_away',
  MOVE: 'transfer',
  RECEIVE: 'receive',
}

const objectTypes = { orders: 'order', asns: 'inbound_shipment', rmas: 'return', stock: 'inventory' } as const
