import type {
  FastifyBaseLogger,
  FastifyInstance,
  FastifyTypeProvider,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from 'fastify'
import type { Static, TSchema } from 'typebox'
import type { Access } from './authenticate.ts'

/** Schemas are TypeBox values; handlers see their types. */
interface TypeBoxProvider extends FastifyTypeProvider {
  validator: this['schema'] extends TSchema ? Static<this['schema']> : unknown
  serializer: this['schema'] extends TSchema ? Static<this['schema']> : unknown
}

/** The HTTP application that features declare their routes on. */
export type App = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  TypeBoxProvider
>

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Who may call; every route says so. */
    access?: Access
    /** With access `key`: the answer depends on an access token where one is sent, so that a wrong one is refused. */
    accessToken?: 'optional'
    /** Whether what keys and tokens open may be another thing afterwards. */
    changesAccess?: boolean
    /** The body in the API reference where the route checks it itself. */
    documentedBody?: object
    /** Headers in the API reference besides those of authentication. */
    documentedHeaders?: object
  }
  interface FastifySchema {
    tags?: readonly string[]
    summary?: string
    description?: string
    hide?: boolean
    operationId?: string
  }
}
