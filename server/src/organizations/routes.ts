import { Type } from 'typebox'
import type { Db } from '../db/schema.ts'
import { errors } from '../errors.ts'
import { deleted, wholeList } from '../http/answers.ts'
import type { App } from '../http/app.ts'
import { pageOf } from '../http/pages.ts'
import { integrationTypes, nullable, oneOf } from '../resources/define.ts'
import { functionNames } from '../resources/index.ts'
import { createApiKey, listApiKeys, revokeApiKey } from './api-keys.ts'
import { createOrganization, findOrganization, listOrganizations, updateOrganization } from './organizations.ts'

/** The keys of an organization, and the organizations of this installation for who runs it. */
export function organizationRoutes(
  app: App,
  parts: {
    db: Db
    /** Brings the schedules of an organization's connections in line with its policy. */
    align(trx: Db, organizationId: string): Promise<void>
  },
) {
  const { db, align } = parts
  keyRoutes(app, db)
  const access = { config: { access: 'operator' } } as const
  const tags = ['Operator']

  app.get(
    '/operator/organizations',
    { ...access, schema: { tags, summary: 'List organizations', response: { 200: pageOf(organization) } } },
    async () => wholeList(await listOrganizations(db)),
  )

  app.post(
    '/operator/organizations',
    {
      ...access,
      schema: {
        tags,
        summary: 'Create an organization and its first API key',
        body: Type.Object({ name: Type.String({ minLength: 1, maxLength: 200 }) }, closed),
        response: {
          200: Type.Object({ organization, api_key: Type.String({ description: 'Shown only here.' }) }),
        },
      },
    },
    ({ body }) => createOrganization(db, body.name),
  )

  app.get(
    '/operator/organizations/:id',
    { ...access, schema: { tags, summary: 'Read an organization', params: byId, response: { 200: oneOrganization } } },
    async ({ params }) => ({ organization: (await findOrganization(db, params.id)) ?? missing(params.id) }),
  )

  app.patch(
    '/operator/organizations/:id',
    {
      config: { ...access.config, changesAccess: true },
      schema: {
        tags,
        summary: 'Change the policy of an organization',
        description: 'Types that `disabled_functions` does not name stay as they are.',
        params: byId,
        body: policyChange,
        response: { 200: oneOrganization },
      },
    },
    async ({ params, body }) => {
      const organization = await db.transaction().execute(async (trx) => {
        const updated = await updateOrganization(trx, params.id, body)
        if (updated && body.disabled_functions) await align(trx, updated.id)
        return updated
      })
      return { organization: organization ?? missing(params.id) }
    },
  )

  app.post(
    '/operator/organizations/:id/api-keys',
    {
      ...access,
      schema: {
        tags,
        summary: 'Create an API key for an organization',
        params: byId,
        body: newKey,
        response: { 200: createdKey },
      },
    },
    async ({ params, body }) => {
      const { id } = (await findOrganization(db, params.id)) ?? missing(params.id)
      return { api_key: await createApiKey(db, id, body.scope ?? 'full') }
    },
  )
}

function keyRoutes(app: App, db: Db) {
  const access = { config: { access: 'key' } } as const
  const tags = ['API keys']

  app.get(
    '/api-keys',
    { ...access, schema: { tags, summary: 'List API keys', response: { 200: pageOf(apiKey) } } },
    async ({ organizationId }) => wholeList(await listApiKeys(db, organizationId)),
  )

  app.post(
    '/api-keys',
    { ...access, schema: { tags, summary: 'Create an API key', body: newKey, response: { 200: createdKey } } },
    async ({ organizationId, body }) => ({ api_key: await createApiKey(db, organizationId, body.scope ?? 'full') }),
  )

  app.delete(
    '/api-keys/:id',
    {
      config: { ...access.config, changesAccess: true },
      schema: {
        tags,
        summary: 'Revoke an API key',
        description: 'The last key of scope `full` cannot be revoked: nothing could make another.',
        params: byId,
        response: { 200: deleted },
      },
    },
    async ({ organizationId, params: { id } }) => {
      await revokeApiKey(db, organizationId, id)
      return { id, object: 'api_key', deleted: true }
    },
  )
}

const missing = (id: string): never => {
  throw errors.notFound('Organization', id)
}

const closed = { additionalProperties: false }
const byId = Type.Object({ id: Type.String() })
const scope = oneOf('full', 'read')
const timestamp = Type.String({ format: 'date-time' })

const newKey = Type.Object(
  { scope: Type.Optional(Type.Unsafe<'full' | 'read'>({ ...scope, default: 'full' })) },
  { ...closed, default: {} },
)

const keyFields = {
  id: Type.String(),
  scope,
  hint: Type.String({ description: 'The last four characters of the key.' }),
  created_at: timestamp,
}
const apiKey = Type.Object(keyFields)
const createdKey = Type.Object({
  api_key: Type.Object({ ...keyFields, key: Type.String({ description: 'Shown only here.' }) }),
})

const organization = Type.Object({
  id: Type.String(),
  name: Type.String(),
  disabled_functions: Type.Record(Type.String(), Type.Array(Type.String())),
  historical_days: Type.Integer(),
  brand_logo_url: nullable(Type.String()),
  brand_color: nullable(Type.String()),
  created_at: timestamp,
})
const oneOrganization = Type.Object({ organization })

const functionsByType = Object.fromEntries(
  integrationTypes.map((type) => {
    const names = functionNames(type)
    // an enumeration may not be empty
    return [
      type,
      Type.Optional(names.length > 0 ? Type.Array(oneOf(...names)) : Type.Array(Type.String(), { maxItems: 0 })),
    ]
  }),
)

const policyChange = Type.Object(
  {
    disabled_functions: Type.Optional(Type.Unsafe<Record<string, string[]>>(Type.Object(functionsByType, closed))),
    historical_days: Type.Optional(Type.Integer({ minimum: 1, maximum: 1095 })),
    brand_logo_url: Type.Optional(
      nullable(Type.String({ pattern: '^https://', maxLength: 2048, errorMessage: 'Must begin with https://.' })),
    ),
    brand_color: Type.Optional(
      nullable(Type.String({ pattern: '^#[0-9a-fA-F]{6}$', errorMessage: 'Must be a colour such as #1f6feb.' })),
    ),
  },
  { ...closed, minProperties: 1 },
)
