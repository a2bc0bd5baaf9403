import { type Static, Type } from 'typebox'
import type { Registry } from '../integrations/registry.ts'
import { nullable, text, textOrNull } from '../resources/define.ts'
import type { Connection } from './find-connections.ts'
import { availableActions, disabledFunctionsOf } from './policy.ts'

/** Whose account at the third party a connection opens. */
export const account = nullable(Type.Object({ account_id: text, account_name: text }))

/** What an organization gets of an install: the connection and its permanent access token. */
export const installResult = Type.Object({
  access_token: text,
  connection_id: text,
  integration_name: text,
  customer_id: textOrNull,
  available_actions: Type.Array(text),
  me: account,
})

export type InstallResult = Static<typeof installResult>

export function installResultOf(registry: Registry, connection: Connection, accessToken: string): InstallResult {
  const integration = registry.get(connection.integrationType, connection.integrationName)
  return {
    access_token: accessToken,
    connection_id: connection.id,
    integration_name: connection.integrationName,
    customer_id: connection.customerId,
    available_actions: availableActions(integration, disabledFunctionsOf(connection)),
    me: connection.me,
  }
}
