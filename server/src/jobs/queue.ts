import { fromKysely, PgBoss } from 'pg-boss'
import type { Logger } from 'pino'
import type { Db } from '../db/schema.ts'

/** A kind of job, declared once by the feature that does it. `Data` is what one job carries, as JSON. */
export interface JobKind<Data extends object> {
  readonly name: string
  /** Five fields, UTC; such jobs are made by the queue itself and carry nothing. */
  readonly cron?: string
  /** Never set; ties the name to what its jobs carry. */
  readonly data?: Data
}

/** Background work that is done once, by whichever worker is free, and again when its worker was killed. */
export interface Queue {
  /** @param trx the job exists only if this transaction commits */
  send<Data extends object>(kind: JobKind<Data>, data: Data, trx?: Db): Promise<void>
  /** Takes on the jobs of a kind; an error is tried again, with growing pauses. */
  work<Data extends object>(kind: JobKind<Data>, run: (data: Data, signal: AbortSignal) => Promise<void>): Promise<void>
  /** Lets running jobs finish for a while and hands the others back. */
  stop(): Promise<void>
}

export function defineJob<Data extends object = Record<string, never>>(
  name: string,
  options: { cron?: string } = {},
): JobKind<Data> {
  return Object.freeze({ name, ...options })
}

/**
 * Opens the job queue of a database. Every process that only sends opens it with `works: false`.
 * @param url `postgres://…`
 */
export async function openQueue(options: {
  url: string
  log: Logger
  kinds: readonly JobKind<object>[]
  works: boolean
}): Promise<Queue> {
  const { log, kinds, works } = options
  const boss = new PgBoss({
    connectionString: options.url,
    application_name: 'crossdock jobs',
    max: 2,
    supervise: works,
    schedule: works,
    superviseIntervalSeconds: 5,
  })
  boss.on('error', (error) => log.error({ err: error }, 'job queue'))
  await boss.start()
  for (const { name, cron } of kinds) {
    await boss.createQueue(name, { ...retries, expireInSeconds, heartbeatSeconds })
    if (cron) await boss.schedule(name, cron)
  }
  return {
    async send(kind, data, trx) {
      await boss.send(kind.name, data, trx ? { db: fromKysely(trx) } : {})
    },
    async work<Data extends object>(kind: JobKind<Data>, run: (data: Data, signal: AbortSignal) => Promise<void>) {
      await boss.work<Data>(kind.name, { pollingIntervalSeconds: 2 }, async ([job]) => {
        if (!job) return
        try {
          await run(job.data, job.signal)
        } catch (error) {
          log.error({ err: error, job: kind.name }, 'job failed')
          throw error
        }
      })
    },
    stop: () => boss.stop({ graceful: true, timeout: 5_000 }),
  }
}

/** The delay is in seconds and doubled at each failure. */
const retries = { retryLimit: 5, retryDelay: 5, retryBackoff: true }
/** Longer than the work ever takes. */
const expireInSeconds = 900
/** The job of a killed worker is back after this and one supervision. */
const heartbeatSeconds = 10
