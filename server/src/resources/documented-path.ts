import type { Resource } from './define.ts'

/** A path as the API reference writes it: `/wms/orders/{order_id}` for Fastify's `/wms/orders/:order_id`. */
export const documentedPath = (path: string) => path.replace(/:(\w+)/g, '{$1}')

/** How the list of a resource is named: `GET /wms/warehouses/{warehouse_id}/locations`. */
export const readUrlOf = ({ path }: Pick<Resource, 'path'>) => `GET ${documentedPath(path)}`
