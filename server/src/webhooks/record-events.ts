import { isDeepStrictEqual } from 'node:util'
import type { SavedRecord } from '../data/save-records.ts'
import type { Resource } from '../resources/define.ts'
import type { Event } from './emit.ts'

/** The events of records that were written: created, updated with what changed, and grown lists. */
export function recordEvents(resource: Resource, saved: readonly SavedRecord[]): Event[] {
  const { event } = resource
  if (event === null) return []
  return saved.flatMap(({ id, before, after }) => {
    const data = JSON.parse(after)
    if (before === null) return { type: `${event}.created`, resourceId: id, data }
    const old = JSON.parse(before)
    const changes = previousAttributes(old, data)
    const grown = Object.entries(resource.growth).flatMap(([field, type]) =>
      data[field].length > old[field].length ? type : [],
    )
    return [`${event}.updated`, ...grown].map((type) => ({
      type,
      resourceId: id,
      data,
      previousAttributes: changes,
    }))
  })
}

/**
 * The changed values of a record as they were, by dot path with list indexes as numbers. A list that grew or shrank and
 * a map whose keys changed stand whole under their own path, so that applying the result to `after` gives `before`.
 */
export function previousAttributes(before: object, after: object): Record<string, unknown> {
  const changes: Record<string, unknown> = {}
  collect(before, after, '', changes)
  return changes
}

function collect(before: unknown, after: unknown, path: string, changes: Record<string, unknown>): void {
  if (Object.is(before, after)) return
  if (!alike(before, after)) {
    if (!isDeepStrictEqual(before, after)) changes[path] = before
    return
  }
  for (const key of Object.keys(before as object)) {
    const inner = path === '' ? key : `${path}.${key}`
    collect((before as Record<string, unknown>)[key], (after as Record<string, unknown>)[key], inner, changes)
  }
}

/** Both lists of one length, or both objects of the same keys, none of which would blur a dot path. */
function alike(before: unknown, after: unknown): boolean {
  if (typeof before !== 'object' || typeof after !== 'object' || before === null || after === null) return false
  if (Array.isArray(before) !== Array.isArray(after)) return false
  const keys = Object.keys(before)
  return (
    keys.length === Object.keys(after).length && keys.every((key) => Object.hasOwn(after, key) && !key.includes('.'))
  )
}
