import type { Integration } from '../integrations/define.ts'
import type { Registry } from '../integrations/registry.ts'
import type { IntegrationType } from '../resources/define.ts'

/** What narrows the integrations an install page offers. An empty list counts as not given. */
export interface Narrowing {
  integrationType: IntegrationType
  allowList: readonly string[]
  blockList: readonly string[]
  /** Only integrations that have all of these functions. */
  withEndpoints: readonly string[]
  /** Whether the sandbox is offered; no list brings it in by itself. */
  sandbox: boolean
}

/**
 * The integrations offered. An allow list together with a block list cancel each other: both are ignored. The sandbox
 * comes on top of an allow list.
 */
export function offered(registry: Registry, narrowing: Narrowing): Integration[] {
  const both = narrowing.allowList.length > 0 && narrowing.blockList.length > 0
  const allowed = both ? [] : narrowing.allowList
  const blocked = both ? [] : narrowing.blockList
  return registry.ofType(narrowing.integrationType).filter((integration) => {
    if (blocked.includes(integration.name)) return false
    if (!narrowing.withEndpoints.every((name) => Object.hasOwn(integration.actions, name))) return false
    if (isSandbox(integration)) return narrowing.sandbox
    return allowed.length === 0 || allowed.includes(integration.name)
  })
}

export const isSandbox = (integration: Integration) => integration.name === 'sandbox'
