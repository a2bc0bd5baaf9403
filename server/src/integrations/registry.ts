import { errors } from '../errors.ts'
import type { IntegrationType } from '../resources/define.ts'
import type { Integration } from './define.ts'
import { knownNames } from './names.ts'

/** The integrations of this installation. */
export interface Registry {
  all: readonly Integration[]
  /** What lists and filters may name: these integrations, and the known ones that are not there. */
  names: readonly string[]
  ofType(type: IntegrationType): Integration[]
  find(type: string, name: string): Integration | undefined
  /** @throws ApiError 404 naming the integration */
  get(type: string, name: string): Integration
}

export function createRegistry(integrations: readonly Integration[]): Registry {
  const find = (type: string, name: string) => integrations.find((each) => each.type === type && each.name === name)
  return {
    all: integrations,
    names: [...new Set([...integrations.map(({ name }) => name), ...knownNames])].sort(),
    ofType: (type) => integrations.filter((integration) => integration.type === type),
    find,
    get(type, name) {
      const integration = find(type, name)
      if (!integration) throw errors.notFound('Integration', name)
      return integration
    },
  }
}
