import { defineJob } from '../jobs/queue.ts'

/** Removes what is left of a deleted connection; runs `deleteRecords`. */
export const purgeRecordsJob = defineJob<{ connectionId: string }>('records.purge')
