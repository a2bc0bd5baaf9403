import type { Resource } from '../resources/define.ts'
import { documentedPath } from '../resources/documented-path.ts'

/** How errors name the list of a resource: `GET /wms/warehouses/{warehouse_id}/locations`. */
export const endpointOf = (resource: Resource) => `GET ${documentedPath(resource.path)}`
