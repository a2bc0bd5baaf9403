/** A path as the API reference writes it: `/wms/orders/{order_id}` for Fastify's `/wms/orders/:order_id`. */
export const documentedPath = (path: string) => path.replace(/:(\w+)/g, '{$1}')
