import type { FastifyReply } from 'fastify'
import { type Static, Type } from 'typebox'
import { errors } from '../errors.ts'
import type { App } from '../http/app.ts'
import { integrationRequestRoute } from '../integration-requests/routes.ts'
import { IntegrationError } from '../integrations/fault.ts'
import { integrationTypes, oneOf, text, textOrNull } from '../resources/define.ts'
import { listFirstSynced, listSchedules, syncStatuses } from '../sync/schedules.ts'
import { type InstallParts, install } from './install.ts'
import { canonicalFunctions, functionList, knownFunctions } from './known-functions.ts'
import { type Link, openLink } from './links.ts'
import type { Narrowing } from './offer.ts'
import { linkSession, sessionOf } from './session.ts'
import { installThrottle } from './throttle.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** What the install page was opened with; set where access is `link`. */
    link: Link
  }
}

/**
 * The calls of the install page. They are opened by a link token or a magic link's id in `x-service-link-token`; the
 * page sees neither API keys nor access tokens.
 */
export function pageRoutes(app: App, parts: InstallParts): void {
  const { db, now } = parts
  const tags = ['Install page']
  const config = { access: 'link' } as const
  app.decorateRequest('link')

  const authenticate: Hook = async (request) => {
    const secret = request.headers['x-service-link-token']
    if (typeof secret !== 'string') throw errors.invalidLinkToken()
    request.link = await openLink(db, secret, now())
  }
  const refuseUsed: Hook = async ({ link }) => {
    if (link.used) throw errors.linkUsed()
  }

  app.get(
    '/link/session',
    {
      config,
      onRequest: [authenticate, refuseUsed],
      schema: {
        tags,
        summary: 'What the page shows',
        description:
          'The query is what the embedded component was configured with; a magic link goes by its own settings.',
        querystring: componentQuery,
        response: { 200: linkSession },
      },
    },
    async ({ link, query }) =>
      sessionOf(parts, link, narrowingOfQuery(query), canonicalFunctions(split(query.disabled_functions))),
  )

  app.post(
    '/link/install',
    {
      config: { ...config, changesAccess: true },
      onRequest: [authenticate, refuseUsed, installThrottle()],
      schema: {
        tags,
        summary: 'Install with what was typed',
        description:
          'Refuses what the link does not offer, connects to the system, then makes or reinstalls the connection. ' +
          'A failure names its `step`: `reach`, `log_in` or `recognize`.',
        body: installRequest,
        response: { 200: installed },
      },
    },
    ({ link, body }, reply) =>
      install(
        parts,
        link,
        { integrationName: body.integration_name, credentials: body.credentials ?? {} },
        {
          integrationType: body.integration_type ?? 'wms',
          allowList: body.integration_allow_list ?? [],
          blockList: body.integration_block_list ?? [],
          withEndpoints: canonicalFunctions(body.integrations_with_endpoints ?? []),
          sandbox: body.sandbox ?? false,
        },
        canonicalFunctions(body.disabled_functions ?? []),
        whenLeft(reply),
      ),
  )

  app.get(
    '/link/progress',
    {
      config,
      onRequest: authenticate,
      schema: {
        tags,
        summary: 'How far the first sync is',
        description: 'Of the connection that this link installed last.',
        response: { 200: progress },
      },
    },
    async ({ link }) => {
      const id = link.installedConnectionId
      if (id === null) throw errors.conflict('Nothing has been installed through this link yet')
      const [schedules, done] = await Promise.all([listSchedules(db, id), listFirstSynced(db, id)])
      const functions = schedules.map(({ function_name, sync_status }) => ({
        function_name,
        sync_status,
        first_sync_completed: done.includes(function_name),
      }))
      return { completed: functions.every((each) => each.first_sync_completed), functions }
    },
  )

  integrationRequestRoute(app, '/link/integration-requests', {
    db,
    access: 'link',
    onRequest: [authenticate, refuseUsed, installThrottle()],
    organizationOf: ({ link }) => link.organizationId,
    summary: 'Ask for an integration that the page does not offer',
  })
}

/** Aborted when the caller goes away before the answer. */
function whenLeft({ raw }: FastifyReply): AbortSignal {
  const leaving = new AbortController()
  raw.once('close', () => {
    if (!raw.writableFinished) leaving.abort(new IntegrationError('timeout', 'The page was left meanwhile'))
  })
  return leaving.signal
}

type Hook = (request: { link: Link; headers: Record<string, unknown> }) => Promise<void>

const list = Type.Optional(Type.String({ description: 'Names, separated by commas.' }))

const componentQuery = Type.Object(
  {
    integration_type: Type.Optional(oneOf(...integrationTypes)),
    integration_allow_list: list,
    integration_block_list: list,
    integrations_with_endpoints: list,
    disabled_functions: Type.Optional(
      Type.String({
        description: 'Names, separated by commas.',
        pattern: `^$|^(${knownFunctions.join('|')})(,(${knownFunctions.join('|')}))*$`,
        errorMessage: `Must be names separated by commas, out of: ${knownFunctions.join(', ')}.`,
      }),
    ),
    sandbox: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false },
)

const names = Type.Optional(Type.Array(text, { maxItems: 1000 }))

const installRequest = Type.Object(
  {
    integration_name: text,
    integration_type: Type.Optional(oneOf(...integrationTypes)),
    credentials: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    integration_allow_list: names,
    integration_block_list: names,
    integrations_with_endpoints: names,
    disabled_functions: Type.Optional(functionList),
    sandbox: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false },
)

const installed = Type.Object({
  auth_code: textOrNull,
  integration_name: text,
  missing_permissions: Type.Array(Type.Object({ function_name: text, endpoint: text })),
})

const progress = Type.Object({
  completed: Type.Boolean(),
  functions: Type.Array(
    Type.Object({ function_name: text, sync_status: oneOf(...syncStatuses), first_sync_completed: Type.Boolean() }),
  ),
})

const narrowingOfQuery = (query: Static<typeof componentQuery>): Narrowing => ({
  integrationType: query.integration_type ?? 'wms',
  allowList: split(query.integration_allow_list),
  blockList: split(query.integration_block_list),
  withEndpoints: canonicalFunctions(split(query.integrations_with_endpoints)),
  sandbox: query.sandbox ?? false,
})

const split = (names: string | undefined): string[] => (names ?? '').split(',').filter((name) => name !== '')
