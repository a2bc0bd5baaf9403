import type pg from 'pg'
import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import type { Db } from '../db/schema.ts'
import type { ApiLog } from './api-log.ts'
import { facetsOf } from './facets.ts'
import { histogramOf } from './histogram.ts'
import { createLogWriter, defaultLimits, type WriterLimits } from './log-writer.ts'
import { maintainPartitions } from './partitions.ts'
import { planOnce } from './plan-once.ts'
import { searchLog } from './search.ts'
import { batchWriter } from './write-batch.ts'

/** The API log in PostgreSQL. */
export function createPostgresLog(parts: {
  db: Db
  pool: pg.Pool
  log: Logger
  metrics: Registry
  retentionDays: number
  limits?: Partial<WriterLimits>
}): ApiLog {
  const { db, pool } = parts
  const writer = createLogWriter(batchWriter(pool), parts.log, parts.metrics, { ...defaultLimits, ...parts.limits })
  return {
    ...writer,
    search: (scope, page) => planOnce(db, (trx) => searchLog(trx, scope, page)),
    facets: (scope) => planOnce(db, (trx) => facetsOf(trx, scope)),
    histogram: (scope, buckets) => histogramOf(db, scope, buckets),
    maintain: (now) => maintainPartitions(pool, now, parts.retentionDays),
  }
}
