import type { Cursor, PageRequest, ReadAction } from '../integrations/define.ts'

/** Where the crawls of a schedule stand; kept with the data. */
export interface Checkpoint {
  /** What changed at or after this instant is yet to be read; null: everything. */
  since: string | null
  /** The instant the crawl under way began; absent between crawls. */
  until?: string
  /** Where its next page is; absent before its first page. */
  cursor?: Cursor
  /** The source's clock at the newest change seen, by this crawl or an earlier one. */
  watermark?: string
  /** The first record that could not be read, told when the crawl ends. */
  fault?: string
}

/** Opens a crawl where none is under way. A first crawl of records with a history reads `historicalDays` back. */
export function beginCrawl(
  kept: Checkpoint | null,
  action: ReadAction,
  historicalDays: number,
  now: Date,
): Checkpoint & { until: string } {
  if (kept?.until) return { ...kept, until: kept.until }
  const first = action.resource.history === 'window' ? new Date(now.getTime() - historicalDays * dayMs) : null
  return { ...(kept ?? { since: first?.toISOString() ?? null }), until: now.toISOString() }
}

/**
 * What to ask for next. A later crawl asks again for the last minutes before its checkpoint: clocks differ, and a source
 * may show a change only some time after the instant it carries.
 */
export function nextRequest(
  checkpoint: Checkpoint & { until: string },
  action: ReadAction,
  later: boolean,
): PageRequest {
  const since = action.mode === 'snapshot' || checkpoint.since === null ? null : new Date(checkpoint.since)
  return {
    since: since && later ? new Date(since.getTime() - overlapMs) : since,
    until: new Date(checkpoint.until),
    cursor: checkpoint.cursor ?? null,
  }
}

/**
 * The checkpoint between two crawls. A source that tells its clock is asked again from there even after crawls that saw
 * nothing: its clock may be far behind ours. One ahead of our clock is not trusted.
 */
export function endCrawl({ until, watermark }: Checkpoint & { until: string }): Checkpoint {
  return watermark !== undefined && watermark < until ? { since: watermark, watermark } : { since: until }
}

const dayMs = 86_400_000
const overlapMs = 5 * 60_000
