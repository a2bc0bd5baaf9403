import { type Integration, readActions } from '../integrations/define.ts'
import { urlOf } from '../resources/define-write.ts'
import { readUrlOf } from '../resources/documented-path.ts'
import type { SchedulableFunction } from '../sync/schedules.ts'

/** What decides which functions of a connection are switched off. */
export interface Policy {
  /** The organization's, for the connection's type. */
  organizationDisabled: readonly string[]
  disabledFunctions: readonly string[]
  /** Switched on for this connection against the organization's policy. */
  enabledFunctions: readonly string[]
}

export function disabledFunctionsOf(policy: Policy): Set<string> {
  const disabled = new Set(policy.organizationDisabled)
  for (const name of policy.enabledFunctions) disabled.delete(name)
  for (const name of policy.disabledFunctions) disabled.add(name)
  return disabled
}

/** Actions the integration supports and no policy switches off. */
export function availableActions(integration: Integration, disabled: ReadonlySet<string>): string[] {
  return Object.keys(integration.actions).filter((name) => !disabled.has(name))
}

/** The endpoints of those actions, for example `GET /wms/orders`. */
export function availableEndpoints(integration: Integration, disabled: ReadonlySet<string>): string[] {
  return availableActions(integration, disabled).map((name) => {
    const action = integration.actions[name]!
    return action.kind === 'read' ? readUrlOf(action.resource) : urlOf(action.write)
  })
}

/** The read functions that want a schedule. */
export function schedulableFunctions(integration: Integration, disabled: ReadonlySet<string>): SchedulableFunction[] {
  return Object.entries(readActions(integration)).map(([functionName, action]) => ({
    functionName,
    everySeconds: action.resource.everySeconds,
    enabled: !disabled.has(functionName),
  }))
}
