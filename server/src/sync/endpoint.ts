import type { Resource } from '../resources/define.ts'

/** How errors name the list of a resource: `GET /wms/warehouses/{warehouse_id}/locations`. */
export const endpointOf = (resource: Resource) => `GET ${resource.path.replace(/:(\w+)/g, '{$1}')}`
