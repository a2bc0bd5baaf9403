import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyContextConfig } from 'fastify'
import { Type } from 'typebox'
import type { App } from './app.ts'

/**
 * Serves the OpenAPI 3.1 document of all routes at `/openapi.json` and renders it at `/docs`.
 * @param webhooks its section of that name
 */
export async function documentApi(app: App, publicUrl: string, webhooks: Record<string, object> = {}): Promise<void> {
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
      webhooks: webhooks as never,
      components: {
        securitySchemes: {
          apiKey: { type: 'apiKey', in: 'header', name: 'x-service-api-key' },
          accessToken: { type: 'apiKey', in: 'header', name: 'x-service-access-token' },
          operatorKey: { type: 'apiKey', in: 'header', name: 'x-service-operator-key' },
          linkToken: { type: 'apiKey', in: 'header', name: 'x-service-link-token' },
        },
        headers,
        responses: {
          Error: { description: 'What went wrong.', content: { 'application/json': { schema: errorAnswer as never } } },
        },
      },
    },
    transform: ({ schema, url, route }) => ({
      url,
      schema: {
        ...schema,
        ...(route.config?.documentedBody && { body: route.config.documentedBody }),
        ...(route.config?.documentedHeaders && { headers: route.config.documentedHeaders }),
        security: securityOf(route.config ?? {}),
      } as never,
    }),
    transformObject: (document) => {
      const { paths, ...rest } = 'openapiObject' in document ? document.openapiObject : document.swaggerObject
      return { ...rest, paths: completeOperations(withoutOwnKeywords(paths as Paths)) } as never
    },
  })
  await app.register(swaggerUi, { routePrefix: '/docs' })
  app.get('/openapi.json', { config: { access: 'public' }, schema: { hide: true } }, () => app.swagger() as never)
}

type Paths = Record<string, Record<string, Operation>>

interface Operation {
  parameters?: { required?: boolean; schema?: object }[]
  requestBody?: { required?: boolean; content: Record<string, { schema?: object }> }
  responses: Record<string, { description?: string; headers?: object; $ref?: string }>
}

/** Every operation can fail, and what has a default may be left out. */
function completeOperations(paths: Paths): Paths {
  const hasDefault = ({ schema = {} }: { schema?: object }) => 'default' in schema
  for (const operation of Object.values(paths).flatMap((path) => Object.values(path))) {
    for (const answer of Object.values(operation.responses)) {
      answer.description = 'Done.'
      answer.headers = answerHeaders
    }
    operation.responses.default = { $ref: '#/components/responses/Error' }
    for (const parameter of operation.parameters ?? []) if (hasDefault(parameter)) parameter.required = false
    const body = operation.requestBody
    if (body && Object.values(body.content).some(hasDefault)) body.required = false
  }
  return paths
}

/** Keywords of schemas that only our own validation knows. */
const ownKeywords = new Set(['errorMessage', 'maxBytes'])
const withoutOwnKeywords = (paths: Paths = {}): Paths =>
  JSON.parse(JSON.stringify(paths, (name, value) => (ownKeywords.has(name) ? undefined : value)))

const headers = {
  'x-request-id': { description: 'The same id as in the API log.', schema: { type: 'string' } },
  'x-ratelimit-limit': { description: 'Requests per second.', schema: { type: 'string' } },
  'x-ratelimit-remaining': { description: 'How many are left of them.', schema: { type: 'string' } },
  'x-ratelimit-reset': { description: 'When they are counted anew, in Unix seconds.', schema: { type: 'string' } },
} as const
const answerHeaders = Object.fromEntries(
  Object.keys(headers).map((name) => [name, { $ref: `#/components/headers/${name}` }]),
)

const errorAnswer = Type.Object({
  error: Type.String({ description: 'For a human.' }),
  origin: Type.Enum(['service', 'integration'], { description: 'Who failed: we, or the system behind.' }),
  id: Type.Optional(Type.String({ description: 'What was not found.' })),
  detail: Type.Optional(
    Type.Object(
      {},
      { description: 'Messages by `json`, `query`, `path` or `headers` and then by field, nested like the input.' },
    ),
  ),
  step: Type.Optional(Type.String({ description: 'Where an install failed: `reach`, `log_in` or `recognize`.' })),
})

function securityOf({ access, accessToken }: FastifyContextConfig): Record<string, string[]>[] {
  const withToken = { apiKey: [], accessToken: [] }
  switch (access) {
    case 'key':
      return [{ apiKey: [] }, ...(accessToken === 'optional' ? [withToken] : [])]
    case 'connection':
      return [withToken]
    case 'operator':
      return [{ operatorKey: [] }]
    case 'link':
      return [{ linkToken: [] }]
    default:
      return []
  }
}
