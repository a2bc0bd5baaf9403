import { defineJob } from '../jobs/queue.ts'

/** Daily; runs `ApiLog.maintain`. */
export const maintainLogJob = defineJob('api-log.maintain', { cron: '7 2 * * *' })
