import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { errors } from '../errors.ts'
import type { App } from '../http/app.ts'
import { type Asset, readLinkAssets } from './assets.ts'
import { documentOf } from './document.ts'
import { originsAmong, pageHeaders } from './headers.ts'

/** Everything that browsers load to install: the script of other sites, the page, and what it is made of. */
export function linkPageRoutes(app: App): void {
  // made at the first request: many processes serve no page
  const assets = once(readLinkAssets)
  const page = once(() => documentOf(assets()))
  const open = { config: { access: 'public' }, schema: { hide: true } } as const

  app.get('/link.js', { ...open, schema: { hide: true, querystring: anyQuery } }, (request, reply) => {
    reply.headers({ 'cache-control': 'public, max-age=300', 'cross-origin-resource-policy': 'cross-origin' })
    return sendAsset(request, reply, assets().embed)
  })

  app.get(
    '/link/frame',
    { ...open, schema: { hide: true, querystring: frameQuery } },
    async ({ query: { origin = '', ancestors = '' } }, reply) => {
      // without the origin it speaks to, a frame is of no use to anybody
      const own = originsAmong([origin])
      return sendPage(reply, page(), own.length === 1 ? [...own, ...originsAmong(ancestors.split(' '))] : [])
    },
  )

  // also what is left of an address that was cut off; other names under /link are the API's
  app.get(
    '/link/:id(^[0-9a-fA-F]{6,}.*$)',
    { ...open, schema: { hide: true, querystring: anyQuery, params: byId } },
    async (_, reply) => sendPage(reply, page(), []),
  )

  app.get('/link/assets/:version/*', { ...open, schema: { hide: true, params: assetParams } }, (request, reply) => {
    const asset = assets().page.get(request.params['*'])
    if (!asset) throw errors.unknownPath()
    const current = request.params.version === assets().version
    reply.header('cache-control', current ? 'public, max-age=31536000, immutable' : 'no-store')
    return sendAsset(request, reply, asset)
  })
}

function once<Value extends object | string>(make: () => Value): () => Value {
  let made: Value | undefined
  return () => {
    made ??= make()
    return made
  }
}

/** Mail programs and the like add parameters of their own. */
const anyQuery = Type.Object({}, { additionalProperties: true })
const byId = Type.Object({ id: Type.String() })
const assetParams = Type.Object({ version: Type.String(), '*': Type.String() })
const optional = Type.Optional(Type.String({ maxLength: 2000 }))
const frameQuery = Type.Object({ origin: optional, ancestors: optional }, { additionalProperties: true })

function sendPage(reply: FastifyReply, page: string, ancestors: readonly string[]) {
  return reply
    .headers({ ...pageHeaders(ancestors), 'cache-control': 'no-cache' })
    .type('text/html; charset=utf-8')
    .send(page)
}

function sendAsset(request: FastifyRequest, reply: FastifyReply, { type, plain, gzip, hash }: Asset) {
  const zipped = /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''))
  const etag = `"${hash}${zipped ? '-gzip' : ''}"`
  reply.headers({ etag, vary: 'accept-encoding', 'x-content-type-options': 'nosniff' })
  if (request.headers['if-none-match'] === etag) return reply.code(304).send()
  if (zipped) reply.header('content-encoding', 'gzip')
  return reply.type(type).send(zipped ? gzip : plain)
}
