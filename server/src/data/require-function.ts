import { errors } from '../errors.ts'
import type { ConnectionCaller } from '../http/authenticate.ts'
import type { Integration } from '../integrations/define.ts'
import type { Registry } from '../integrations/registry.ts'

/** @throws ApiError 501 where the integration has no such function, 403 where it is switched off */
export function requireFunction(
  registry: Registry,
  connection: ConnectionCaller,
  type: string,
  name: string,
): Integration {
  const integration = registry.get(connection.integrationType, connection.integrationName)
  if (integration.type !== type || !Object.hasOwn(integration.actions, name)) {
    throw errors.notImplemented(name, integration.displayName)
  }
  if (connection.disabledFunctions.has(name)) throw errors.functionDisabled(name)
  return integration
}
