import { type TSchema, Type } from 'typebox'
import {
  integrationTypes,
  nullable,
  oneOf,
  type Resource,
  text,
  textOrNull,
  timestamp,
  timestampOrNull,
} from '../resources/define.ts'
import { resources } from '../resources/index.ts'
import { exampleOf } from './example.ts'

export interface EventType {
  event_type: string
  description: string
  /** JSON Schema of the whole message. */
  schema: object
  example: unknown
}

/** Sent by hand, to see whether messages arrive. */
export const testEventType = 'webhook-endpoint.test'

/** Every event there is, made from the declarations of the resources. */
export function listEventTypes(): readonly EventType[] {
  return eventTypes
}

function resourceEvents(resource: Resource): EventType[] {
  const { event, growth, singular, answer } = resource
  if (event === null) return []
  const thing = singular.replaceAll('_', ' ')
  const sample = Object.keys(answer.properties).includes('status') ? 'status' : 'updated_date'
  const previous = { [sample]: exampleOf(answer.properties[sample]!, sample) }
  return [
    eventType(`${event}.created`, `A ${thing} is there for the first time.`, answer),
    eventType(`${event}.updated`, `A ${thing} has changed.`, answer, previous),
    ...Object.entries(growth).map(([field, type]) =>
      eventType(
        type,
        `The ${field.replaceAll('_', ' ')} of a ${thing} have grown; \`data\` is the whole ${thing}.`,
        answer,
        {
          [field]: [],
        },
      ),
    ),
  ]
}

/** @param previous the example's `previous_attributes`; given where the event has them */
function eventType(type: string, description: string, data: TSchema, previous?: Record<string, unknown>): EventType {
  const schema = Type.Object({
    connection_id: textOrNull,
    customer_id: textOrNull,
    event_type: Type.Literal(type),
    integration_name: textOrNull,
    integration_type: nullable(oneOf(...integrationTypes)),
    data,
    ...(previous ? { previous_attributes: Type.Optional(previousAttributes) } : {}),
    data_truncated: Type.Optional(truncated),
    data_url: Type.Optional(dataUrl),
  })
  const { data_truncated: _, data_url: __, ...whole } = schema.properties as Record<string, TSchema>
  const example = {
    ...(exampleOf(Type.Object(whole)) as object),
    ...(previous ? { previous_attributes: previous } : {}),
  }
  return { event_type: type, description, schema, example }
}

const previousAttributes = Type.Record(Type.String(), Type.Unknown(), {
  description:
    'The changed values as they were, by dot path with list indexes as numbers; a list that grew or shrank stands whole under its own path.',
})
const truncated = Type.Boolean({
  description: 'True where the event is larger than 256 kB: `data` is then only `{id}`.',
})
const dataUrl = Type.String({ description: 'With `data_truncated`: answers `{download_url}` to an API key.' })

const affectedEndpoints = Type.Array(Type.Object({ endpoint: text, preventing_sync: Type.Boolean() }))
const connectionError = Type.Object({
  failed_url: text,
  affected_endpoints: affectedEndpoints,
  integration_name: text,
  error_message: text,
  created_date: timestamp,
  updated_date: timestamp,
  last_seen: timestamp,
})
const syncJob = Type.Object({
  id: text,
  connection_id: text,
  function_name: text,
  status: oneOf('open', 'completed', 'cancelled', 'stuck'),
  requested_start_time: timestamp,
  requested_end_time: timestamp,
  created_at: timestamp,
})

const eventTypes: readonly EventType[] = Object.freeze([
  ...resources.flatMap(resourceEvents),
  eventType(
    'connection.created',
    'A connection was installed.',
    Type.Object({ created_date: timestamp, access_token: textOrNull }),
  ),
  eventType('connection.deleted', 'A connection was deleted.', Type.Object({ deleted_date: timestamp })),
  eventType(
    'connection.historical-sync-completed',
    'The first crawl of a resource is complete; events of its records follow from now on.',
    Type.Object({ resource: text, oldest_data_date: timestampOrNull, newest_data_date: timestampOrNull }),
  ),
  eventType(
    'connection.force-sync-completed',
    'A sync that was asked for is complete.',
    Type.Object({ function_name: text, resource: text, completed_date: timestamp }),
  ),
  eventType('connection.sync-job-completed', 'An on-demand sync is complete.', syncJob),
  eventType('connection.sync-job-stuck', 'An on-demand sync does not advance.', syncJob),
  eventType(
    'connection.schedule-stuck',
    'The crawls of a schedule fail again and again; told once, and tried on.',
    Type.Object({ function_name: text, latest_data: timestampOrNull, last_crawl_start: timestampOrNull }),
  ),
  eventType('connection-error.created', 'A connection fails against its system.', connectionError),
  eventType('connection-error.updated', 'A connection fails for another reason than before.', connectionError, {
    error_message: 'error-message-0',
  }),
  eventType('connection-error.deleted', 'A connection error is resolved.', connectionError),
  eventType(
    'install.failed',
    'An install was tried in vain.',
    Type.Object({
      id: text,
      integration_name: text,
      integration_type: oneOf(...integrationTypes),
      customer_id: textOrNull,
      step: text,
      error_message: text,
      created_date: timestamp,
    }),
  ),
  eventType(testEventType, 'Sent by `POST /webhook-endpoints/{id}/test`.', Type.Object({ message: text })),
])
