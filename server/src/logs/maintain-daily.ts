import type { Logger } from 'pino'
import type { ApiLog } from './api-log.ts'

/** Maintains the log now and once a day; what fails is told and tried again the next day. */
export function maintainDaily(
  apiLog: Pick<ApiLog, 'maintain'>,
  log: Logger,
  now: () => Date,
): { stop(): Promise<void> } {
  const maintain = () =>
    apiLog.maintain(now()).catch((error) => log.error({ err: error }, 'partitions of the API log not maintained'))
  let running = maintain()
  const timer = setInterval(() => {
    running = running.then(maintain)
  }, dayMs)
  return {
    stop() {
      clearInterval(timer)
      return running
    },
  }
}

const dayMs = 86_400_000
