import { eventTypes } from './event-types.ts'

/** The `webhooks` section of the OpenAPI document: one message for each type of event. */
export function openapiWebhooks(): Record<string, object> {
  return Object.fromEntries(
    eventTypes.map(({ event_type, description, schema, example }) => [
      event_type,
      {
        post: {
          tags: ['Webhooks'],
          summary: description,
          parameters: ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => ({
            in: 'header',
            name,
            required: true,
            schema: { type: 'string' },
          })),
          requestBody: { required: true, content: { 'application/json': { schema, example } } },
          responses: { '2XX': { description: 'Taken; anything else is tried again.' } },
        },
      },
    ]),
  )
}
