import { hash } from 'node:crypto'
import { keepableJson } from '../keepable.ts'
import type { Resource } from '../resources/define.ts'

/** A record as it stands in the `records` table, before it is known whether it is new. */
export interface RecordRow {
  id: string
  createdDate: string
  updatedDate: string
  /** Of `source`: the record as the source gave it. */
  hash: Buffer
  filters: Record<string, string | null>
  /** JSON of the declared fields, without the `service_*` fields. */
  source: string
}

/** Makes the function that turns complete records of a resource into rows. */
export function rowsOf(resource: Resource): (record: Record<string, unknown>) => RecordRow {
  const fields = [...resource.pathFields, ...Object.keys(resource.filters)]
  return (given) => {
    const text = JSON.stringify(given)
    const kept = keepableJson(text)
    // names that differed only in what cannot be kept are one now
    const record = kept === text ? given : JSON.parse(kept)
    const source = kept === text ? text : JSON.stringify(record)
    const filters: Record<string, string | null> = {}
    for (const field of fields) {
      const value = record[field]
      filters[field] = value === null || value === undefined ? null : String(value)
    }
    return {
      id: record.id as string,
      createdDate: record.created_date as string,
      updatedDate: record.updated_date as string,
      hash: hash('sha256', source, 'buffer').subarray(0, 16),
      filters,
      source,
    }
  }
}

/** The record as it is answered: JSON text that is sent as it is kept. */
export function answerOf(
  resource: Resource,
  row: Pick<RecordRow, 'source'>,
  service: { tags: readonly unknown[] | null; createdDate: string; updatedDate: string },
): string {
  const tags = resource.tags ? `,"service_tags":${JSON.stringify(service.tags ?? [])}` : ''
  return `${row.source.slice(0, -1)}${tags},"service_created_date":"${service.createdDate}","service_updated_date":"${service.updatedDate}"}`
}

/** When a record changes: now, and always after it changed before, whatever the clocks of two processes say. */
export const changedAt = (now: Date, before: Date) =>
  new Date(Math.max(now.getTime(), before.getTime() + 1)).toISOString()

/** How the `records` table names a resource: `wms/orders`. */
export const nameOf = (resource: Resource) => `${resource.type}/${resource.name}`
