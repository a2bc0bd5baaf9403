import { type RecordRow, rowsOf } from '../data/record-row.ts'
import type { ReadAction } from '../integrations/define.ts'
import { completer, RecordFault } from '../resources/complete.ts'

export interface ReadPage {
  /** Each id once, the last of it. */
  rows: RecordRow[]
  /** What was wrong with the first record that could not be read. */
  fault: string | null
  /** The newest `updated_date`. */
  newest: string | null
}

/** Makes the function that turns a page of an action's raw items into rows; a record that does not fit is left out and told. */
export function recordReader(action: ReadAction): (items: readonly unknown[]) => ReadPage {
  const complete = completer(action.resource)
  const toRow = rowsOf(action.resource)
  return (items) => {
    const rows = new Map<string, RecordRow>()
    let fault: string | null = null
    let newest: string | null = null
    for (const item of items) {
      try {
        const row = toRow(complete(action.map(item)) as Record<string, unknown>)
        rows.set(row.id, row)
        if (newest === null || row.updatedDate > newest) newest = row.updatedDate
      } catch (error) {
        if (!(error instanceof RecordFault)) throw error
        fault ??= `A record of ${action.resource.readAction} cannot be read: ${error.message}`
      }
    }
    return { rows: [...rows.values()], fault, newest }
  }
}
