import { isUtf8 } from 'node:buffer'
import { randomUUID } from 'node:crypto'
import fastJson, { type Schema } from 'fast-json-stringify'
import fastify, { type FastifyError, LogController } from 'fastify'
import findMyWay, { type HTTPMethod } from 'find-my-way'
import type { Logger } from 'pino'
import { ApiError, errors } from '../errors.ts'
import { IntegrationError } from '../integrations/fault.ts'
import type { App } from './app.ts'
import { type Access, type Authenticator, authenticator, type KeyLookup } from './authenticate.ts'
import { answerClientError } from './client-error.ts'
import { documentApi } from './openapi.ts'
import { rateLimiter } from './rate-limit.ts'
import { validator } from './validation.ts'

/**
 * The HTTP application without any feature: request ids, keys, limits, validation, the error format, and the OpenAPI
 * document made of whatever routes are declared on it afterwards.
 */
export async function createHttpServer(options: {
  log: Logger
  keys: KeyLookup
  rateLimit: { readPerSecond: number; writePerSecond: number }
  publicUrl: string
  /** Addresses and networks (CIDR) whose `X-Forwarded-For` tells where a request came from. */
  trustedProxies?: string[]
  /** Whether an error means that nothing can be served for the moment. */
  isOutage?: (error: unknown) => boolean
  /** The `webhooks` section of the OpenAPI document. */
  webhooks?: Record<string, object>
}): Promise<App> {
  const answer = answererOf(options.isOutage ?? (() => false))
  const app = fastify({
    loggerInstance: options.log,
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy: options.trustedProxies ?? false,
    genReqId: () => randomUUID(),
    bodyLimit: 1024 * 1024,
    requestTimeout: 60_000,
    clientErrorHandler: answerClientError,
    forceCloseConnections: 'idle',
    // what still arrives on open connections is answered, and closes them
    return503OnClosing: false,
    routerOptions: { maxParamLength: 2048, ignoreTrailingSlash: false },
    frameworkErrors: (error, _request, reply) => answer(error, reply as never, String(reply.request.id)),
  }) as unknown as App

  app.decorateRequest('organizationId', '')
  app.decorateRequest('connection', null)
  app.setValidatorCompiler(() => () => true)
  app.setSerializerCompiler(({ schema }) => serializer(schema))
  app.addHook('onRoute', (route) => {
    // the pages of the API reference are routes of a plugin
    if (route.url.startsWith('/docs')) route.config = { ...route.config, access: 'public' }
    if (route.config?.access === undefined) throw new Error(`${route.method} ${route.url} does not say who may call it`)
    route.preHandler = [validator(route), ...[route.preHandler ?? []].flat()]
  })
  app.addHook('onRequest', async (request, reply) => void reply.header('x-request-id', request.id))
  const keys = authenticator(options.keys)
  app.addHook('onRequest', (request) => keys.check(request, request.routeOptions.config))
  app.addHook('onRoute', (route) => {
    if (route.config?.changesAccess) route.onSend = async (_, reply) => void (reply.statusCode < 400 && keys.forget())
  })
  app.addHook('onRequest', rateLimiter(options.rateLimit))
  acceptEmptyJson(app)
  answerUnknownPaths(app, keys)
  app.setErrorHandler((error: FastifyError, request, reply) => answer(error, reply as never, request.id))
  await documentApi(app, options.publicUrl, options.webhooks)
  return app
}

/** Compiled when first needed: most processes never see most routes. */
function serializer(schema: unknown) {
  let stringify: ReturnType<typeof fastJson> | undefined
  return (answer: unknown) => {
    stringify ??= fastJson(schema as Schema)
    return stringify(answer)
  }
}

interface AnyReply {
  log: Logger
  code(status: number): AnyReply
  headers(headers: Record<string, string>): AnyReply
  header(name: string, value: string): AnyReply
  type(type: string): AnyReply
  serializer(serialize: (value: unknown) => string): AnyReply
  send(body: unknown): unknown
}

function answererOf(isOutage: (error: unknown) => boolean) {
  return (error: unknown, reply: AnyReply, requestId: string) => {
    const known = isOutage(error) ? errors.databaseAway(error) : toApiError(error, requestId)
    if (known.status >= 500 && known.origin === 'service') reply.log.error({ err: known.cause ?? known, requestId })
    return reply
      .code(known.status)
      .headers(known.headers)
      .header('x-request-id', requestId)
      .type('application/json; charset=utf-8')
      .serializer(JSON.stringify)
      .send(known.body)
  }
}

function toApiError(error: unknown, requestId: string): ApiError {
  if (error instanceof ApiError) return error
  if (error instanceof IntegrationError) return errors.integrationFailed(error)
  switch ((error as FastifyError).code) {
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return errors.unsupportedMediaType()
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return errors.bodyTooLarge()
    case 'FST_ERR_CTP_INVALID_JSON_BODY':
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return errors.malformedJson()
    case 'FST_ERR_BAD_URL':
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return errors.unknownPath()
    default:
      // what Node itself refuses, a body that never arrived for instance, carries its status
      return (error as FastifyError).statusCode === 400 ? errors.malformedJson() : errors.unexpected(requestId, error)
  }
}

/** A body may be left out where it is optional, also by clients that always name a content type. */
function acceptEmptyJson(app: App) {
  // names such as `__proto__` are told by the validation, like every unknown field
  const parse = app.getDefaultJsonParser('ignore', 'ignore')
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    if (body.length === 0) done(null, undefined)
    else if (!isUtf8(body as Buffer)) done(errors.malformedJson())
    else parse(request, body.toString(), done)
  })
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Of a request that is refused for its method: the route at its path, by another method. */
    meant: { url: string; access: Access; logged?: FastifyContextConfig['logged']; params: unknown } | null
  }
}

/** Unknown paths are 404, known ones with another method 405 that names the allowed, whatever the body is. */
function answerUnknownPaths(app: App, keys: Authenticator) {
  const known = findMyWay({ maxParamLength: 2048 })
  const methods = new Set<HTTPMethod>()
  app.decorateRequest('meant', null)
  app.addHook('onRoute', (route) => {
    for (const method of [route.method].flat() as HTTPMethod[]) {
      methods.add(method)
      if (!known.hasRoute(method, route.url)) known.on(method, route.url, () => {}, { url: route.url, ...route.config })
    }
  })
  app.addHook('onRequest', async (request) => {
    if (!request.is404) return
    const path = request.url.split('?', 1)[0]!
    const allowed = [...methods].filter((method) => known.find(method, path))
    if (allowed.length === 0) throw errors.unknownPath()
    const { params, store } = known.find(allowed[0]!, path)!
    request.meant = { ...(store as { url: string; access: Access }), params }
    // whose it is matters to the log alone: the answer is the same to everybody
    await keys.check(request, request.meant).catch(() => {})
    throw errors.methodNotAllowed(request.method, allowed)
  })
}
