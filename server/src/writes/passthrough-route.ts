import { Type } from 'typebox'
import { errors } from '../errors.ts'
import type { App } from '../http/app.ts'
import type { Registry } from '../integrations/registry.ts'
import { freeForm, oneOf } from '../resources/define.ts'
import type { OpenConnection } from '../sync/open-connection.ts'
import { callSystem } from './system-call.ts'

/** `POST /wms/passthrough`: a request of the caller's own to the system behind. Nothing of it is saved or told. */
export function passthroughRoute(
  app: App,
  parts: {
    registry: Registry
    open(connectionId: string): Promise<OpenConnection | null>
    timeLimitMs: number
    countUse(connectionId: string): void
  },
) {
  app.post(
    '/wms/passthrough',
    {
      config: { access: 'connection', idempotency: 'off', logged: { without: ['headers'] } },
      schema: {
        tags: ['wms'],
        summary: 'Send a request to the system behind',
        description: 'Answers 200 with whatever the system answered.',
        operationId: 'passthrough',
        body: Type.Object(
          {
            method: oneOf('GET', 'POST', 'PUT', 'PATCH', 'DELETE'),
            path: Type.String({ pattern: '^/', maxLength: 4000, errorMessage: 'Must begin with a slash.' }),
            data: Type.Optional(Type.Unknown()),
            headers: Type.Optional(Type.Record(Type.String(), Type.String())),
            params: Type.Optional(
              Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Boolean()])),
            ),
          },
          { additionalProperties: false },
        ),
        response: { 200: Type.Object({ status_code: Type.Integer(), headers: freeForm, body: Type.Unknown() }) },
      },
    },
    async ({ connection, body }) => {
      parts.countUse(connection!.id)
      const integration = parts.registry.get(connection!.integrationType, connection!.integrationName)
      const pass = integration.passthrough
      if (integration.type !== 'wms' || !pass) throw errors.notImplemented('passthrough', integration.displayName)
      const opened = await parts.open(connection!.id)
      if (!opened) throw errors.invalidAccessToken()
      const { method, path, data, headers = {}, params = {} } = body
      const answer = await callSystem(integration, parts.timeLimitMs, async (signal) =>
        pass(await opened.connect(signal), { method, path, data, headers, params }),
      )
      return { status_code: answer.status, headers: answer.headers as Record<string, unknown>, body: answer.body }
    },
  )
}
