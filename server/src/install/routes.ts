import { Type } from 'typebox'
import { setConnectionFunctions, updateConnection } from '../connections/change-connection.ts'
import { openAccessToken } from '../connections/connection-secrets.ts'
import { getConnection } from '../connections/find-connections.ts'
import { installResult, installResultOf } from '../connections/install-result.ts'
import { deleted, updated } from '../http/answers.ts'
import type { App } from '../http/app.ts'
import { pageOf, pageToken, pageTokenFaults, readPageToken } from '../http/pages.ts'
import { text, textOrNull } from '../resources/define.ts'
import { attemptFilters, attemptsOf, installAttempt, listAttempts } from './attempts.ts'
import { redeemAuthCode } from './auth-codes.ts'
import type { InstallParts } from './install.ts'
import { canonicalFunctions, functionList } from './known-functions.ts'
import { issueLinkToken } from './link-tokens.ts'
import {
  createMagicLink,
  deleteMagicLink,
  getMagicLink,
  listFaults,
  listMagicLinks,
  magicLink,
  magicLinkRequest,
} from './magic-links.ts'
import { pageRoutes } from './page-routes.ts'

/** Everything around installing: link tokens, magic links, auth codes, the calls of the page, what was tried. */
export function installRoutes(app: App, parts: InstallParts & { publicUrl: string }): void {
  exchangeRoutes(app, parts)
  magicLinkRoutes(app, parts)
  attemptRoutes(app, parts)
  functionRoutes(app, parts)
  pageRoutes(app, parts)
}

const closed = { additionalProperties: false }
const access = { config: { access: 'key' } } as const

function exchangeRoutes(app: App, { db, vault, registry, now }: InstallParts) {
  const tags = ['Install']

  app.post(
    '/link/token',
    {
      ...access,
      schema: {
        tags,
        summary: 'Issue a link token',
        description: 'Opens the install page for four hours. With `connection_id` it reinstalls that connection.',
        body: Type.Object(
          { connection_id: Type.Optional(textOrNull), customer_id: Type.Optional(textOrNull) },
          { ...closed, default: {} },
        ),
        response: { 200: Type.Object({ link_token: text }) },
      },
    },
    async ({ organizationId, body }) => {
      const { connection_id: id = null } = body
      const connection = id === null ? null : await getConnection(db, organizationId, id)
      const token = { organizationId, connectionId: connection?.id ?? null, customerId: body.customer_id ?? null }
      return { link_token: await issueLinkToken(db, token, now()) }
    },
  )

  app.post(
    '/link/exchange',
    {
      ...access,
      schema: {
        tags,
        summary: 'Exchange an auth code for the access token',
        description: 'A code is good once, within half an hour. `customer_id` replaces the one of the link token.',
        body: Type.Object({ auth_code: text, customer_id: Type.Optional(textOrNull) }, closed),
        response: { 200: installResult },
      },
    },
    ({ organizationId, body }) =>
      db.transaction().execute(async (trx) => {
        const id = await redeemAuthCode(trx, organizationId, body.auth_code, now())
        if (typeof body.customer_id === 'string') await updateConnection(trx, id, { customer_id: body.customer_id })
        const connection = await getConnection(trx, organizationId, id)
        return installResultOf(registry, connection, openAccessToken(vault, connection))
      }),
  )
}

function magicLinkRoutes(app: App, parts: InstallParts & { publicUrl: string }) {
  const tags = ['Magic links']
  const body = magicLinkRequest(parts.registry.names)
  const byId = Type.Object({ magic_link_id: text })
  // whoever has the id can install
  const byItsId = { config: { access: 'key', logged: { without: ['magic_link_id'] } } } as const
  const one = { 200: Type.Object({ magic_link: magicLink }) }

  app.post(
    '/magic-links',
    {
      config: { access: 'key', alsoCheck: listFaults },
      schema: { tags, summary: 'Make a magic link', body, response: one },
    },
    async ({ organizationId, body }) => ({
      magic_link: await createMagicLink(parts, organizationId, body, parts.now()),
    }),
  )

  app.get(
    '/magic-links',
    {
      ...access,
      schema: {
        tags,
        summary: 'List magic links',
        response: { 200: Type.Object({ magic_links: Type.Array(magicLink) }) },
      },
    },
    async ({ organizationId }) => ({ magic_links: await listMagicLinks(parts, organizationId) }),
  )

  app.get(
    '/magic-links/:magic_link_id',
    { ...byItsId, schema: { tags, summary: 'Read a magic link', params: byId, response: one } },
    async ({ organizationId, params }) => ({
      magic_link: await getMagicLink(parts, organizationId, params.magic_link_id),
    }),
  )

  app.delete(
    '/magic-links/:magic_link_id',
    { ...byItsId, schema: { tags, summary: 'Withdraw a magic link', params: byId, response: { 200: deleted } } },
    async ({ organizationId, params: { magic_link_id: id } }) => {
      await deleteMagicLink(parts.db, organizationId, id, parts.now())
      return { id, object: 'magic_link', deleted: true }
    },
  )
}

function attemptRoutes(app: App, { db, vault }: InstallParts) {
  app.get(
    '/install-attempts',
    {
      config: { access: 'key', alsoCheckQuery: pageTokenFaults(({ organizationId }) => attemptsOf(organizationId)) },
      schema: {
        tags: ['Install'],
        summary: 'List installs that were tried',
        description:
          'Newest first, kept as long as the API log. `step` and `message` tell where and why one failed; the `message` of one that succeeded tells ' +
          'what its login may not read.',
        querystring: Type.Object(
          {
            ...attemptFilters,
            limit: Type.Integer({ minimum: 1, maximum: 1000, default: 100 }),
            page_token: pageToken,
          },
          closed,
        ),
        response: { 200: pageOf(installAttempt) },
      },
    },
    ({ organizationId, query }) => {
      const after = readPageToken(query.page_token, attemptsOf(organizationId))
      return listAttempts(db, vault, organizationId, query, after)
    },
  )
}

function functionRoutes(app: App, { db, registry }: InstallParts) {
  app.patch(
    '/schedules/disabled-functions',
    {
      config: { access: 'connection', changesAccess: true },
      schema: {
        tags: ['Schedules'],
        summary: 'Switch functions of a connection off and on',
        description:
          'Each list replaces the one before. `enabled_functions` switches on what the organization has switched off; ' +
          'a function in both lists is off.',
        body: Type.Object(
          { disabled_functions: Type.Optional(functionList), enabled_functions: Type.Optional(functionList) },
          closed,
        ),
        response: { 200: updated },
      },
    },
    async ({ organizationId, connection: caller, body }) => {
      const connection = await getConnection(db, organizationId, caller!.id)
      const integration = registry.get(connection.integrationType, connection.integrationName)
      await setConnectionFunctions(db, connection, integration, {
        ...(body.disabled_functions && { disabled: canonicalFunctions(body.disabled_functions) }),
        ...(body.enabled_functions && { enabled: canonicalFunctions(body.enabled_functions) }),
      })
      return { id: connection.id, object: 'connection', updated: true }
    },
  )
}
