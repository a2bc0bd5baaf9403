import type { Row } from './client.ts'

export interface Dated {
  create_date: string
  /** Empty until the first change. */
  write_date: string | null
}

/** The common fields of a record; `parts` are what belongs to it and changes on its own. */
export function stamp(row: Row & Dated, parts: readonly Partial<Dated>[] = []) {
  const changes = [row, ...parts].flatMap(({ write_date, create_date }) => write_date ?? create_date ?? [])
  return { id: String(row.id), created_date: row.create_date, updated_date: changes.reduce(later) }
}

const later = (first: string, second: string) => (first > second ? first : second)
