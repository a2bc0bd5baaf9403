import { Type } from 'typebox'
import { errors } from '../errors.ts'
import type { App } from '../http/app.ts'
import { writeActions } from '../integrations/define.ts'
import type { Registry } from '../integrations/registry.ts'
import { freeForm, integrationTypes, oneOf, text } from '../resources/define.ts'
import type { OpenConnection } from '../sync/open-connection.ts'
import { askChoices, type ChoiceChecker } from './choices.ts'
import { callSystem } from './system-call.ts'
import { writeInfo } from './write-info.ts'

/** `GET /integrations/{integration_type}/{integration_name}/write-info`. */
export function writeInfoRoute(
  app: App,
  parts: {
    registry: Registry
    open(connectionId: string): Promise<OpenConnection | null>
    timeLimitMs: number
    choices: ChoiceChecker
  },
) {
  app.get(
    '/integrations/:integration_type/:integration_name/write-info',
    {
      config: { access: 'key', accessToken: 'optional' },
      schema: {
        tags: ['Integrations'],
        summary: 'Read what an integration writes, as an OpenAPI document',
        description:
          "With the access token of a connection, allowed values are that connection's own, and what is disabled for it is left out.",
        params: Type.Object({ integration_type: oneOf(...integrationTypes), integration_name: text }),
        response: { 200: freeForm },
      },
      serializerCompiler: () => JSON.stringify,
    },
    async ({ params, connection }) => {
      const integration = parts.registry.get(params.integration_type, params.integration_name)
      if (!connection) return writeInfo(integration, writeActions(integration), null)
      if (connection.integrationType !== integration.type || connection.integrationName !== integration.name) {
        throw errors.validation({ headers: { 'x-service-access-token': ['Belongs to another integration.'] } })
      }
      const actions = writeActions(integration).filter(({ write }) => !connection.disabledFunctions.has(write.action))
      const opened = await parts.open(connection.id)
      if (!opened) throw errors.invalidAccessToken()
      const asked = await callSystem(integration, parts.timeLimitMs, async (signal) => {
        const client = await opened.connect(signal)
        const entries = actions.map(async (action) => [action, await askChoices(action, client)] as const)
        return new Map(await Promise.all(entries))
      })
      for (const [action, choices] of asked) parts.choices.remember(connection.id, action, choices)
      return writeInfo(integration, actions, (action) => asked.get(action)!)
    },
  )
}
