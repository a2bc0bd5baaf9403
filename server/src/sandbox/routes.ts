import { Type } from 'typebox'
import { openAccessToken } from '../connections/connection-secrets.ts'
import { findConnection } from '../connections/find-connections.ts'
import { type InstallResult, installResult, installResultOf } from '../connections/install-result.ts'
import type { Db } from '../db/schema.ts'
import { errors } from '../errors.ts'
import type { App } from '../http/app.ts'
import type { ConnectionCaller } from '../http/authenticate.ts'
import type { Registry } from '../integrations/registry.ts'
import { oneOf, text } from '../resources/define.ts'
import type { Vault } from '../secrets.ts'
import { generateSandbox } from './generate-sandbox.ts'
import { readFaults, replaceFaults } from './warehouse/store.ts'

export function sandboxRoutes(app: App, parts: { db: Db; vault: Vault; registry: Registry; now: () => Date }) {
  const { db, vault, registry } = parts
  const tags = ['Sandbox']
  const sandboxTypes = registry.all.flatMap(({ name, type }) => (name === 'sandbox' ? type : []))

  app.post(
    '/sandbox/generate-sandbox/:integration_type',
    {
      config: { access: 'key', changesAccess: true },
      schema: {
        tags,
        summary: 'Make or reset the sandbox connection of a type',
        params: Type.Object({ integration_type: oneOf(...sandboxTypes) }),
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
      const id = sandboxOf(connection)
      const { actions } = registry.get(connection!.integrationType, 'sandbox')
      const unknown = body.faults.flatMap((fault, i) =>
        fault.function_name in actions ? [] : [[i, { function_name: ['The sandbox has no such function.'] }]],
      )
      if (unknown.length > 0) throw errors.validation({ json: { faults: Object.fromEntries(unknown) } })
      await replaceFaults(db, id, body.faults)
      return body
    },
  )
}

const faults = Type.Object(
  {
    faults: Type.Array(
      Type.Object(
        {
          function_name: text,
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
