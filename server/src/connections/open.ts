import type { Db } from '../db/schema.ts'
import { type Integration, secretsOf } from '../integrations/define.ts'
import { guardEffects } from '../integrations/guard-effects.ts'
import type { IntegrationHttp } from '../integrations/http.ts'
import type { Registry } from '../integrations/registry.ts'
import type { Vault } from '../secrets.ts'
import type { OpenConnection } from '../sync/open-connection.ts'
import { openCredentials } from './connection-secrets.ts'
import { eventSource } from './event-source.ts'
import { findConnection } from './find-connections.ts'
import { availableEndpoints, disabledFunctionsOf } from './policy.ts'

/** Makes the function that opens a connection for whoever reads or writes its system. */
export function connectionOpener(parts: {
  db: Db
  vault: Vault
  registry: Registry
  http(options: { signal: AbortSignal; secrets: readonly string[] }): IntegrationHttp
}): (connectionId: string) => Promise<OpenConnection | null> {
  return async (connectionId) => {
    const connection = await findConnection(parts.db, connectionId)
    if (!connection) return null
    const integration: Integration = parts.registry.get(connection.integrationType, connection.integrationName)
    return {
      source: eventSource(connection),
      integration,
      historicalDays: connection.historicalDays,
      endpoints: availableEndpoints(integration, disabledFunctionsOf(connection)),
      async connect(signal, guard) {
        const credentials = openCredentials(parts.vault, connection)
        const http = parts.http({ signal, secrets: secretsOf(integration, credentials) })
        return integration.connect(credentials, guard ? guardEffects(http, guard) : http)
      },
    }
  }
}
