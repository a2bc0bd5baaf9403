import { Type } from 'typebox'
import { openAccessToken } from '../connections/connection-secrets.ts'
import { findConnection } from '../connections/find-connections.ts'
import { type InstallResult, installResult, installResultOf } from '../connections/install-result.ts'
import type { Db } from '../db/schema.ts'
import { errors } from '../errors.ts'
import type { App } from '../http/app.ts'
import type { ConnectionCaller } from '../http/authenticate.ts'
import type { Registry } from '../integrations/registry.ts'
import { oneOf } from '../resources/define.ts'
import type { Vault } from '../secrets.ts'
import { generateSandbox } from './generate-sandbox.ts'
import { readFaults, replaceFaults } from './warehouse/store.ts'

export function sandboxRoutes(app: App, parts: { db: Db; vault: Vault; registry: Registry; now: () => Date }) {
  const { db, vault, registry } = parts
  const tags = ['Sandbox']
  const sandboxes = registry.all.filter(({ name }) => name === 'sandbox')
  const faults = faultsOf(sandboxes.flatMap(({ actions }) => Object.keys(actions)))

  app.post(
    '/sandbox/generate-sandbox/:integration_type',
    {
      config: { access: 'key', changesAccess: true },
      schema: {
        tags,
        summary: 'Make or reset the sandbox connection of a type',
        params: Type.Object({ integration_type: oneOf(...sandboxes.map(({ type }) => type)) }),
        response: { 200: installResult },
      },
    },
    async ({ organizationId, params }): Promise<InstallResult> => {
      const { connectionId } = await db
        .transaction()
        .execute((trx) => generateSandbox(trx, parts, organizationId, params.integration_type))
      const connection = (await findConnection(db, connectionId))!
      return installResultOf(registry, connection, openAccessToken(vault, connection))
    },
  )

  app.get(
    '/sandbox/faults',
    {
      config: { access: 'connection' },
      schema: { tags, summary: 'Read the failures its warehouse answers with', response: { 200: faults } },
    },
    async ({ connection }) => ({ faults: (await readFaults(db, sandboxOf(connection)))! }),
  )

  app.put(
    '/sandbox/faults',
    {
      config: { access: 'connection' },
      schema: {
        tags,
        summary: 'Make its warehouse fail',
        description: 'Replaces the list. `times` requests fail, or all until the list is replaced.',
        body: faults,
        response: { 200: faults },
      },
    },
    async ({ connection, body }) => {
      await replaceFaults(db, sandboxOf(connection), body.faults)
      return body
    },
  )
}

const faultsOf = (functionNames: readonly string[]) =>
  Type.Object(
    {
      faults: Type.Array(
        Type.Object(
          {
            function_name: oneOf(...new Set(functionNames)),
            status_code: Type.Integer({ minimum: 400, maximum: 599 }),
            error_message: Type.Optional(Type.String({ maxLength: 1000 })),
            times: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
          },
          { additionalProperties: false },
        ),
        { maxItems: 100 },
      ),
    },
    { additionalProperties: false },
  )

function sandboxOf(connection: ConnectionCaller | null): string {
  if (connection!.integrationName !== 'sandbox') throw errors.notFound('Sandbox connection', connection!.id)
  return connection!.id
}
