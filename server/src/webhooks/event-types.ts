import { type TObject, type TSchema, Type } from 'typebox'
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

function resourceEvents(resource: Resource): EventType[] {
  const { event, growth, singular, answer } = resource
  if (event === null) return []
  const thing = singular.replaceAll('_', ' ')
  const one = `${/^[aeiou]/.test(thing) ? 'an' : 'a'} ${thing}`
  return [
    recordEvent(`${event}.created`, `${capital(one)} is there for the first time.`, answer),
    recordEvent(`${event}.updated`, `${capital(one)} has changed.`, answer, changeOf(answer)),
    ...Object.entries(growth).map(([field, type]) =>
      recordEvent(
        type,
        `The ${field.replaceAll('_', ' ')} of ${one} have grown; \`data\` is the whole ${thing}.`,
        answer,
        { [field]: [] },
      ),
    ),
  ]
}

const capital = (text: string) => text[0]!.toUpperCase() + text.slice(1)

/** An example of `previous_attributes` that differs from the example of `data`. */
function changeOf({ properties }: TObject): Record<string, unknown> {
  const [, otherStatus] = (properties.status as { enum?: string[] } | undefined)?.enum ?? []
  return otherStatus ? { status: otherStatus } : { updated_date: '2026-11-19T08:15:30.123Z' }
}

/** Records are as large as their systems make them: the event may be thin. */
function recordEvent(type: string, description: string, data: TSchema, previous?: Record<string, unknown>): EventType {
  const whole = eventType(type, description, data, previous)
  const thin = Type.Object(
    { ...envelopeOf(type), data: Type.Object({ id: text }), data_truncated: Type.Literal(true), data_url: dataUrl },
    { description: 'Where the whole would be larger than 256 kB.' },
  )
  return { ...whole, schema: Type.Union([whole.schema as TSchema, thin]) }
}

/** @param previous the example's `previous_attributes`; given where the event has them */
function eventType(type: string, description: string, data: TSchema, previous?: Record<string, unknown>): EventType {
  const schema = Type.Object({
    ...envelopeOf(type),
    data,
    ...(previous ? { previous_attributes: Type.Optional(previousAttributes) } : {}),
  })
  const example = { ...(exampleOf(schema) as object), ...(previous ? { previous_attributes: previous } : {}) }
  return { event_type: type, description, schema, example }
}

/** Whose event it is; a message sent by hand is of no connection. */
function envelopeOf(type: string) {
  const perhaps = <Schema extends TSchema>(schema: Schema) => (type === testEventType ? Type.Null() : schema)
  return {
    connection_id: perhaps(textOrNull),
    customer_id: perhaps(textOrNull),
    event_type: Type.Literal(type),
    integration_name: perhaps(textOrNull),
    integration_type: perhaps(nullable(oneOf(...integrationTypes))),
  }
}

const previousAttributes = Type.Record(Type.String(), Type.Unknown(), {
  description:
    'The changed values as they were, by dot path with list indexes as numbers; a list that grew or shrank stands whole under its own path.',
})
const dataUrl = Type.String({ description: 'Answers `{download_url}` to an API key.' })

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

/** An on-demand sync, as its events tell it and as it is answered. */
export const syncJob = Type.Object({
  id: text,
  connection_id: text,
  function_name: text,
  status: oneOf('open', 'completed', 'cancelled', 'stuck'),
  requested_start_time: timestamp,
  requested_end_time: timestamp,
  created_at: timestamp,
})

/** Every event there is, most of them made from the declarations of the resources. */
export const eventTypes: readonly EventType[] = Object.freeze([
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
