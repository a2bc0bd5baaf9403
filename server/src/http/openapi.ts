import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { App } from './app.ts'
import type { Access } from './authenticate.ts'

/** Serves the OpenAPI 3.1 document of all routes at `/openapi.json` and renders it at `/docs`. */
export async function documentApi(app: App, publicUrl: string): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Crossdock',
        version: '0.1.0',
        description: 'Unified API for warehouse, cart, carrier, freight and ERP systems.',
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: publicUrl }],
      components: {
        securitySchemes: {
          apiKey: { type: 'apiKey', in: 'header', name: 'x-service-api-key' },
          accessToken: { type: 'apiKey', in: 'header', name: 'x-service-access-token' },
          operatorKey: { type: 'apiKey', in: 'header', name: 'x-service-operator-key' },
          linkToken: { type: 'apiKey', in: 'header', name: 'x-service-link-token' },
        },
      },
    },
    transform: ({ schema, url, route }) => ({
      url,
      schema: { ...schema, security: securityOf(route.config?.access) } as never,
    }),
  })
  await app.register(swaggerUi, { routePrefix: '/docs' })
  app.get('/openapi.json', { config: { access: 'public' }, schema: { hide: true } }, () => app.swagger() as never)
}

function securityOf(access: Access | undefined): Record<string, string[]>[] {
  switch (access) {
    case 'key':
      return [{ apiKey: [] }]
    case 'connection':
      return [{ apiKey: [], accessToken: [] }]
    case 'operator':
      return [{ operatorKey: [] }]
    case 'link':
      return [{ linkToken: [] }]
    default:
      return []
  }
}
