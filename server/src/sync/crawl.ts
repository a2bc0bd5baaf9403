import type { Logger } from 'pino'
import { databaseTime } from '../db/database-time.ts'
import type { Db } from '../db/schema.ts'
import type { ReadAction } from '../integrations/define.ts'
import { beginCrawl, type Checkpoint, nextRequest } from './checkpoint.ts'
import { recordFailure } from './failure.ts'
import { type Lease, LeaseLost, releaseLease } from './leases.ts'
import type { OpenConnection } from './open-connection.ts'
import { recordReader } from './record-reader.ts'
import { savePage } from './save-page.ts'
import { openJobOf } from './sync-jobs.ts'

interface CrawlParts {
  db: Db
  log: Logger
  now: () => Date
  /** How long a crawl may go on before others get their turn. */
  sliceMs: number
}

/**
 * Crawls a claimed schedule until its last page, the end of its slice, or a stop. Each page is saved with its
 * checkpoint; failures are recorded on the connection. Rejects only when our own database does.
 */
export async function crawl(
  parts: CrawlParts,
  lease: Lease,
  connection: OpenConnection,
  signal: AbortSignal,
): Promise<void> {
  const ordered = await openJobOf(parts.db, lease)
  try {
    await crawlPages(parts, lease, ordered, connection, signal)
  } catch (error) {
    if (error instanceof LeaseLost || signal.aborted) await releaseLease(parts.db, lease, 0, lease.failures)
    else await recordFailure(parts, lease, ordered?.job ?? null, connection, error)
  }
}

async function crawlPages(
  parts: CrawlParts,
  lease: Lease,
  ordered: Awaited<ReturnType<typeof openJobOf>>,
  connection: OpenConnection,
  signal: AbortSignal,
) {
  const action = connection.integration.actions[lease.functionName] as ReadAction
  const begun = parts.now()
  if (lease.paused && !lease.forced && !ordered) {
    await releaseLease(parts.db, lease, 0, lease.failures)
    return
  }
  let checkpoint =
    ordered?.checkpoint ?? beginCrawl(lease.checkpoint as Checkpoint | null, action, connection.historicalDays, begun)
  const later = ordered === null && lease.firstSyncedAt !== null
  const client = await connection.connect(signal)
  const read = recordReader(action)

  while (true) {
    const first = checkpoint.cursor === undefined
    const askedAt = await databaseTime(parts.db)
    const page = await action.page(client, nextRequest(checkpoint, action, later))
    const { rows, fault, newest } = read(page.items)
    checkpoint = { ...checkpoint, cursor: page.next }
    const watermark = page.watermark?.toISOString()
    if (watermark && watermark > (checkpoint.watermark ?? '')) checkpoint.watermark = watermark
    if (fault) checkpoint.fault ??= fault
    const last = page.next === null
    await savePage(parts, lease, connection, action, {
      rows,
      newest,
      first,
      last,
      checkpoint,
      askedAt,
      job: ordered?.job ?? null,
    })
    lease.failures = 0
    if (last) return
    if (signal.aborted || parts.now().getTime() - begun.getTime() >= parts.sliceMs) {
      await releaseLease(parts.db, lease, 0, 0)
      return
    }
  }
}
