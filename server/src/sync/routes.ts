import { Type } from 'typebox'
import type { Db } from '../db/schema.ts'
import { errors } from '../errors.ts'
import { updated } from '../http/answers.ts'
import type { App } from '../http/app.ts'
import type { ConnectionCaller } from '../http/authenticate.ts'
import { cutPage, pageOf, pageToken, pageTokenFaults, readPageToken } from '../http/pages.ts'
import { type BodyFault, isInstant } from '../http/validation.ts'
import type { Registry } from '../integrations/registry.ts'
import { oneOf, text, timestamp } from '../resources/define.ts'
import { resources } from '../resources/index.ts'
import { syncJob } from '../webhooks/event-types.ts'
import { forceSync, pauseSchedules, setFrequency } from './schedules.ts'
import { cancelSyncJob, createSyncJob, getSyncJob, listSyncJobs } from './sync-jobs.ts'

export function syncRoutes(app: App, { db, registry }: { db: Db; registry: Registry }) {
  const config = { access: 'connection' } as const
  const changed = (connection: ConnectionCaller | null) => ({ id: connection!.id, object: 'connection', updated: true })

  app.patch(
    '/schedules/:function_name/toggle',
    {
      config,
      schema: {
        tags: ['Schedules'],
        summary: 'Pause or unpause one schedule',
        params: functionName,
        body: paused,
        response: { 200: updated },
      },
    },
    async ({ connection, params, body }) => {
      await pauseSchedules(db, connection!.id, params.function_name, body.paused)
      return changed(connection)
    },
  )

  app.patch(
    '/schedules/toggle-all',
    {
      config,
      schema: {
        tags: ['Schedules'],
        summary: 'Pause or unpause every schedule of a connection',
        body: paused,
        response: { 200: updated },
      },
    },
    async ({ connection, body }) => {
      await pauseSchedules(db, connection!.id, null, body.paused)
      return changed(connection)
    },
  )

  app.patch(
    '/schedules/:function_name',
    {
      config,
      schema: {
        tags: ['Schedules'],
        summary: 'Set how often a schedule crawls',
        params: functionName,
        body: Type.Object(
          { sync_frequency: Type.Integer({ minimum: 60, maximum: 2_592_000, description: 'Seconds.' }) },
          { additionalProperties: false },
        ),
        response: { 200: updated },
      },
    },
    async ({ connection, params, body }) => {
      await setFrequency(db, connection!.id, params.function_name, body.sync_frequency)
      return changed(connection)
    },
  )

  app.post(
    '/connections/sync',
    {
      config,
      schema: {
        tags: ['Schedules'],
        summary: 'Sync now, paused schedules too',
        body: Type.Object(
          { functions_to_sync: Type.Optional(Type.Array(readFunction)) },
          { additionalProperties: false, default: {} },
        ),
        response: {
          200: Type.Object({ id: text, syncing: Type.Boolean(), functions_to_sync: Type.Array(text) }),
        },
      },
    },
    async ({ connection, body }) => {
      const asked = body.functions_to_sync ?? []
      const { actions } = registry.get(connection!.integrationType, connection!.integrationName)
      const unknown = asked.flatMap((name, i) =>
        name in actions ? [] : [[i, ['This connection has no such function.']]],
      )
      if (unknown.length > 0) {
        throw errors.validation({ json: { functions_to_sync: Object.fromEntries(unknown) } })
      }
      const names = [...new Set(asked)]
      for (const name of names) requireEnabled(connection!, name)
      await forceSync(db, connection!.id, names.length > 0 ? names : null)
      return { id: connection!.id, syncing: true, functions_to_sync: names }
    },
  )

  app.post(
    '/connections/on-demand-syncs',
    {
      config: { ...config, alsoCheck: windowFaults },
      schema: {
        tags: ['On-demand syncs'],
        summary: 'Sync a time window',
        description: 'Up to 100 of a function may be open at a time.',
        body: Type.Object(
          { start_time: timestamp, end_time: timestamp, function_name: readFunction },
          { additionalProperties: false },
        ),
        response: { 200: syncJob },
      },
    },
    async ({ connection, body }) => {
      const start = new Date(body.start_time)
      const end = new Date(body.end_time)
      requireOnDemand(registry, connection!, body.function_name)
      return createSyncJob(db, { connectionId: connection!.id, functionName: body.function_name, start, end })
    },
  )

  app.get(
    '/connections/on-demand-syncs',
    {
      config: { ...config, alsoCheckQuery: pageTokenFaults(jobsOf) },
      schema: {
        tags: ['On-demand syncs'],
        summary: 'List on-demand syncs, newest first',
        description: 'Those that are not open any more are kept as long as the API log.',
        querystring: Type.Object(
          { limit: Type.Integer({ minimum: 1, maximum: 1000, default: 1000 }), page_token: pageToken },
          { additionalProperties: false },
        ),
        response: { 200: pageOf(syncJob) },
      },
    },
    async ({ connection, query }) => {
      const list = jobsOf({ connection })
      const after = readPageToken(query.page_token, list)
      return cutPage(
        await listSyncJobs(db, connection!.id, after, query.limit + 1),
        query.limit,
        list,
        (job) => [job.created_at, job.id],
        (job) => job,
      )
    },
  )

  app.get(
    '/connections/on-demand-syncs/:sync_job_id',
    {
      config,
      schema: {
        tags: ['On-demand syncs'],
        summary: 'Read an on-demand sync',
        params: jobId,
        response: { 200: syncJob },
      },
    },
    async ({ connection, params }) => getSyncJob(db, connection!.id, params.sync_job_id),
  )

  app.post(
    '/connections/on-demand-syncs/:sync_job_id/cancel',
    {
      config,
      schema: {
        tags: ['On-demand syncs'],
        summary: 'Cancel an open on-demand sync',
        params: jobId,
        response: { 200: syncJob },
      },
    },
    async ({ connection, params }) => cancelSyncJob(db, connection!.id, params.sync_job_id),
  )
}

const jobsOf = ({ connection }: { connection: ConnectionCaller | null }) => ({
  name: 'on-demand-syncs',
  ownerId: connection!.id,
})
const functionName = Type.Object({ function_name: text })
const paused = Type.Object({ paused: Type.Boolean() }, { additionalProperties: false })
const jobId = Type.Object({ sync_job_id: text })
const readFunction = oneOf(...new Set(resources.map((resource) => resource.readAction)))

function windowFaults({ start_time: start, end_time: end }: { start_time?: unknown; end_time?: unknown }): BodyFault[] {
  const both = [start, end].every((each) => typeof each === 'string' && isInstant(each))
  if (!both || new Date(start as string) < new Date(end as string)) return []
  return [{ at: ['end_time'], message: 'Must be after start_time.' }]
}

/** A window can be asked of records with a history, from a system that can tell what changed in it. */
function requireOnDemand(registry: Registry, connection: ConnectionCaller, name: string) {
  const action = registry.get(connection.integrationType, connection.integrationName).actions[name]
  if (action?.kind !== 'read' || action.resource.history !== 'window' || action.mode !== 'incremental') {
    throw errors.badRequest(`On-demand sync is not enabled for ${connection.integrationName} ${name}`)
  }
  requireEnabled(connection, name)
}

function requireEnabled(connection: ConnectionCaller, name: string) {
  if (connection.disabledFunctions.has(name)) throw errors.functionDisabled(name)
}
