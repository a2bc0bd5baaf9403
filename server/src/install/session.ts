import { type Static, Type } from 'typebox'
import type { Db } from '../db/schema.ts'
import type { Integration } from '../integrations/define.ts'
import type { Registry } from '../integrations/registry.ts'
import { findOrganization } from '../organizations/organizations.ts'
import { integrationTypes, oneOf, text, textOrNull, timestamp } from '../resources/define.ts'
import { integrationsOf } from './install.ts'
import type { Link } from './links.ts'
import { isSandbox, type Narrowing } from './offer.ts'
import { functionSettings, functionsAfterInstall } from './offered-functions.ts'

/** What the install page shows. */
export const linkSession = Type.Object({
  mode: oneOf('install', 'reinstall'),
  opened_by: oneOf('link_token', 'magic_link'),
  expires_at: timestamp,
  organization: Type.Object({ name: text, logo_url: textOrNull, color: textOrNull }),
  integrations: Type.Array(
    Type.Object({
      integration_name: text,
      integration_type: oneOf(...integrationTypes),
      display_name: text,
      description: text,
      fields: Type.Array(
        Type.Object({
          key: text,
          kind: oneOf('text', 'url', 'secret'),
          label: text,
          help: text,
          optional: Type.Boolean(),
        }),
        { description: 'The form; without fields there is nothing to type.' },
      ),
      reads: Type.Array(text, { description: 'Functions that will read.' }),
      writes: Type.Array(text, { description: 'Functions that may write.' }),
    }),
  ),
})

export async function sessionOf(
  { db, registry }: { db: Db; registry: Registry },
  link: Link,
  narrowing: Narrowing,
  disabledByComponent: readonly string[],
): Promise<Static<typeof linkSession>> {
  const settings = functionSettings(link, disabledByComponent)
  const organization = (await findOrganization(db, link.organizationId))!
  const integrations = integrationsOf(registry, link, narrowing)
  return {
    mode: link.connection ? 'reinstall' : 'install',
    opened_by: link.kind,
    expires_at: link.expiresAt.toISOString(),
    organization: { name: organization.name, logo_url: organization.brand_logo_url, color: organization.brand_color },
    integrations: integrations.map((integration) => ({
      integration_name: integration.name,
      integration_type: integration.type,
      display_name: integration.displayName,
      description: integration.description,
      fields: fieldsOf(integration),
      ...functionsAfterInstall(organization, link, integration, settings),
    })),
  }
}

const fieldsOf = (integration: Integration) =>
  isSandbox(integration) ? [] : Object.entries(integration.install.fields).map(([key, field]) => ({ key, ...field }))
