import { setConnectionFunctions, updateConnection } from '../connections/change-connection.ts'
import { openCredentials } from '../connections/connection-secrets.ts'
import { getConnection } from '../connections/find-connections.ts'
import { createConnection, reinstallConnection } from '../connections/install-connection.ts'
import type { Db } from '../db/schema.ts'
import { errors } from '../errors.ts'
import type { Credentials, Integration } from '../integrations/define.ts'
import type { Registry } from '../integrations/registry.ts'
import { findOrganization } from '../organizations/organizations.ts'
import type { Vault } from '../secrets.ts'
import { recordAttempt } from './attempts.ts'
import { issueAuthCode } from './auth-codes.ts'
import { hostOf, readCredentials } from './credentials.ts'
import { explainFailure } from './install-failure.ts'
import { claimLink, type Link, noteInstalled } from './links.ts'
import { checkLive, type LiveCheck, type MakeHttp, type MissingPermission } from './live-check.ts'
import { isSandbox, type Narrowing, offered } from './offer.ts'
import { type FunctionSettings, functionSettings, functionsAfterInstall } from './offered-functions.ts'

export interface InstallParts {
  db: Db
  vault: Vault
  registry: Registry
  http: MakeHttp
  generateSandbox(trx: Db, organizationId: string, integrationType: 'wms'): Promise<{ connectionId: string }>
  now: () => Date
}

export interface Installed {
  /** Null for magic links, which need no exchange. */
  auth_code: string | null
  integration_name: string
  missing_permissions: MissingPermission[]
}

/**
 * Installs what was picked and typed on the page: checks that the link offers it, checks the login live, makes or
 * reinstalls the connection. Every try that reached the system is kept.
 * @param narrowing what the component asks for; a magic link's own settings and a reinstall go before it
 * @param left aborted when nobody waits for the outcome any more: what is not made by then is not made
 * @throws ApiError 403 not offered, 409 magic link used, 422 form incomplete; 400, 502 or 504 of origin `integration`
 * with the step that failed
 */
export async function install(
  parts: InstallParts,
  link: Link,
  wanted: { integrationName: string; credentials: Readonly<Record<string, unknown>> },
  narrowing: Narrowing,
  disabledByComponent: readonly string[],
  left: AbortSignal,
): Promise<Installed> {
  const integration = integrationsOf(parts.registry, link, narrowing).find(
    ({ name }) => name === wanted.integrationName,
  )
  if (!integration) throw errors.integrationNotOffered(wanted.integrationName)
  const settings = functionSettings(link, disabledByComponent)
  const installed = isSandbox(integration)
    ? prepareSandbox(parts, link, integration, settings)
    : await prepareSystem(parts, link, integration, settings, wanted.credentials, left)

  return parts.db.transaction().execute(async (trx) => {
    const now = parts.now()
    await claimLink(trx, link, now)
    const connectionId = await installed.save(trx)
    await noteInstalled(trx, link, connectionId)
    await recordAttempt(trx, link, integration, { failedAt: null, message: messageOf(installed) }, now)
    return {
      auth_code: link.kind === 'link_token' ? await issueAuthCode(trx, link.organizationId, connectionId, now) : null,
      integration_name: integration.name,
      missing_permissions: installed.missingPermissions,
    }
  })
}

/** What a page may install: the reinstalled connection's own integration, or what the narrowing in force leaves. */
export function integrationsOf(registry: Registry, link: Link, narrowing: Narrowing): Integration[] {
  const { connection } = link
  if (connection) return [registry.get(connection.integrationType, connection.integrationName)]
  return offered(registry, link.settings?.narrowing ?? narrowing)
}

interface Prepared {
  missingPermissions: MissingPermission[]
  /** @returns the id of the connection */
  save(trx: Db): Promise<string>
}

async function prepareSystem(
  parts: InstallParts,
  link: Link,
  integration: Integration,
  settings: FunctionSettings,
  typed: Readonly<Record<string, unknown>>,
  left: AbortSignal,
): Promise<Prepared> {
  const credentials = readCredentials(integration.install, typed)
  const organization = (await findOrganization(parts.db, link.organizationId))!
  const { reads } = functionsAfterInstall(organization, link, integration, settings)
  const { me, missingPermissions } = await check(parts, link, integration, credentials, reads, left)
  const made = { integration, host: hostOf(integration, credentials), credentials, me, ...settings }
  return {
    missingPermissions,
    async save(trx) {
      if (!link.connection) {
        const { organizationId, customerId } = link
        return createConnection(trx, parts.vault, { ...made, organizationId, customerId })
      }
      await reinstallConnection(trx, parts.vault, link.connection, made)
      return link.connection.id
    },
  }
}

async function check(
  parts: InstallParts,
  link: Link,
  integration: Integration,
  credentials: Credentials,
  reads: readonly string[],
  left: AbortSignal,
): Promise<LiveCheck> {
  try {
    return await checkLive(integration, credentials, reads, parts.http, parts.now(), left)
  } catch (error) {
    const failure = explainFailure(integration.displayName, credentials, error)
    const outcome = { failedAt: failure.step, message: failure.message }
    await parts.db.transaction().execute((trx) => recordAttempt(trx, link, integration, outcome, parts.now()))
    throw failure.error
  }
}

/** The organization's one sandbox, as new unless it is reinstalled; nothing is typed and nothing can be missing. */
function prepareSandbox(
  parts: InstallParts,
  link: Link,
  integration: Integration,
  settings: FunctionSettings,
): Prepared {
  return {
    missingPermissions: [],
    async save(trx) {
      if (link.connection) {
        const { id, host, me } = link.connection
        const credentials = openCredentials(parts.vault, link.connection)
        await reinstallConnection(trx, parts.vault, link.connection, {
          integration,
          host,
          me,
          credentials,
          ...settings,
        })
        return id
      }
      const { connectionId } = await parts.generateSandbox(trx, link.organizationId, 'wms')
      if (link.customerId !== null) await updateConnection(trx, connectionId, { customer_id: link.customerId })
      const connection = await getConnection(trx, link.organizationId, connectionId)
      await setConnectionFunctions(trx, connection, integration, {
        disabled: settings.disabledFunctions,
        enabled: settings.enabledFunctions,
      })
      return connectionId
    },
  }
}

/** What of a success the organization should know. */
function messageOf({ missingPermissions }: Prepared): string | null {
  if (missingPermissions.length === 0) return null
  return `Connected, but this login has no permission for ${missingPermissions.map(({ endpoint }) => endpoint).join(', ')}`
}
