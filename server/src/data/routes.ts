import type { FastifyRequest } from 'fastify'
import { type TProperties, Type } from 'typebox'
import type { Db } from '../db/schema.ts'
import { errors } from '../errors.ts'
import { asItIs, textPage } from '../http/answers.ts'
import type { App } from '../http/app.ts'
import type { ConnectionCaller } from '../http/authenticate.ts'
import { type List, pageOf, pageToken, pageTokenFaults, readPageToken, writePageToken } from '../http/pages.ts'
import type { Registry } from '../integrations/registry.ts'
import { type Resource, text } from '../resources/define.ts'
import { resources } from '../resources/index.ts'
import { orderPacks, packsOf } from '../resources/wms/order-packs.ts'
import { orders } from '../resources/wms/orders.ts'
import { conditionsOf, fieldEquals, filterParameters, listFaults } from './filters.ts'
import { findRecord, listRecords } from './read-records.ts'
import { nameOf } from './record-row.ts'
import { requireFunction } from './require-function.ts'

/** The unified data API: a list and, where it has one, an item route of every resource. */
export function dataRoutes(app: App, parts: { db: Db; registry: Registry; countUse(connectionId: string): void }) {
  const { db, registry } = parts

  /** Every authenticated call counts as a use, whatever it answers. */
  function open(connection: ConnectionCaller | null, resource: Resource): string {
    parts.countUse(connection!.id)
    requireFunction(registry, connection!, resource.type, resource.readAction)
    return connection!.id
  }

  for (const resource of resources) {
    const pathParameters = Object.fromEntries(resource.pathFields.map((field) => [field, text]))
    const listOf = ({ connection, params }: Pick<FastifyRequest, 'connection' | 'params'>): List => ({
      name: [nameOf(resource), ...Object.values(params ?? {})].join(' '),
      ownerId: connection!.id,
    })
    const faultsOfToken = pageTokenFaults(listOf, pageKey)
    const faultsOfLists = listFaults(resource)
    app.get(
      resource.path,
      {
        config: {
          access: 'connection',
          alsoCheckQuery: (request) => ({
            ...faultsOfLists(request.query as Record<string, unknown>),
            ...faultsOfToken(request),
          }),
        },
        schema: {
          tags: [resource.type],
          summary: `List ${resource.name.replaceAll('_', ' ')}`,
          description:
            'Empty until the first sync of its records is complete, although one that was written meanwhile can be read by its id.',
          operationId: resource.readAction,
          ...(resource.pathFields.length > 0 ? { params: Type.Object(pathParameters) } : {}),
          querystring: Type.Object(
            {
              page_token: pageToken,
              limit: Type.Optional(Type.Integer({ minimum: 1, maximum: maxLimit, default: maxLimit })),
              ...filterParameters(resource),
            } as TProperties,
            { additionalProperties: false },
          ),
          response: { 200: pageOf(resource.answer) },
        },
      },
      async ({ connection, query, params }, reply) => {
        const id = open(connection, resource)
        const limit = query.limit as number
        const list = listOf({ connection, params })
        const after = readPageToken(query.page_token as string | undefined, list, pageKey)
        const conditions = [...conditionsOf(resource, query), ...pathConditions(params)]
        const { items, count, next } = await listRecords(db, resource, id, conditions, after, limit)
        if (count === 0) await requireParents(id, resource, params)
        const token = next && writePageToken(list, [next[0].toISOString(), next[1]])
        return asItIs(reply, textPage(items, token, count))
      },
    )

    if (!resource.item) continue
    app.get(
      `${resource.path}/:${resource.itemParameter}`,
      {
        config: { access: 'connection' },
        schema: {
          tags: [resource.type],
          summary: `Read one of ${resource.name.replaceAll('_', ' ')}`,
          params: Type.Object({ ...pathParameters, [resource.itemParameter]: text } as TProperties),
          response: { 200: Type.Object({ data: resource.answer }) },
        },
      },
      async ({ connection, params }, reply) => {
        const { [resource.itemParameter]: recordId, ...path } = params as Record<string, string>
        const id = open(connection, resource)
        return asItIs(reply, `{"data":${await get(resource, id, recordId!, path)}}`)
      },
    )
  }

  app.get(
    '/wms/orders/:order_id/packs',
    {
      config: { access: 'connection' },
      schema: {
        tags: ['wms'],
        summary: 'Read how an order is packed',
        operationId: 'get_order_packs',
        params: Type.Object({ order_id: text }),
        response: { 200: Type.Object({ data: orderPacks }) },
      },
    },
    async ({ connection, params }) => {
      const id = open(connection, orders)
      return { data: packsOf(JSON.parse(await get(orders, id, params.order_id, {}))) }
    },
  )

  /** An empty list under a record that does not exist is that record's 404. */
  async function requireParents(connectionId: string, resource: Resource, path: unknown) {
    for (const field of resource.pathFields) {
      const parent = resources.find((each) => each.type === resource.type && each.itemParameter === field)
      if (parent) await get(parent, connectionId, (path as Record<string, string>)[field]!, {})
    }
  }

  async function get(resource: Resource, connectionId: string, id: string, path: Record<string, string>) {
    const record = await findRecord(db, resource, connectionId, id, pathConditions(path))
    if (record === null) throw errors.notFound(resource.singular.replaceAll('_', ' '), id)
    return record
  }
}

const maxLimit = 1000
const pageKey = ['instant', 'text'] as const

function pathConditions(path: unknown) {
  return Object.entries((path ?? {}) as Record<string, string>).map(([field, value]) => fieldEquals(field, value))
}
