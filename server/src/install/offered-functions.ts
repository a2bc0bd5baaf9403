import { availableActions, disabledFunctionsOf } from '../connections/policy.ts'
import type { Integration } from '../integrations/define.ts'
import type { Organization } from '../organizations/organizations.ts'
import type { Link } from './links.ts'

/** Which functions an install through a link switches off and on, beside what the organization has switched off. */
export interface FunctionSettings {
  disabledFunctions: readonly string[]
  enabledFunctions: readonly string[]
}

/** A magic link's own settings hold; with a link token the component can only switch off. */
export function functionSettings(link: Link, disabledByComponent: readonly string[]): FunctionSettings {
  return link.settings ?? { disabledFunctions: disabledByComponent, enabledFunctions: [] }
}

/** What a connection of this integration would read and write once installed. */
export function functionsAfterInstall(
  organization: Organization,
  link: Link,
  integration: Integration,
  settings: FunctionSettings,
): { reads: string[]; writes: string[] } {
  const { connection } = link
  const disabled = disabledFunctionsOf({
    organizationDisabled: organization.disabled_functions[integration.type] ?? [],
    disabledFunctions: [...(connection?.disabledFunctions ?? []), ...settings.disabledFunctions],
    enabledFunctions: [...(connection?.enabledFunctions ?? []), ...settings.enabledFunctions],
  })
  const names = availableActions(integration, disabled)
  return {
    reads: names.filter((name) => name.startsWith('get_')),
    writes: names.filter((name) => !name.startsWith('get_')),
  }
}
