import { type TProperties, Type } from 'typebox'
import { requireFunction } from '../data/require-function.ts'
import { saveTags } from '../data/save-written.ts'
import type { Db } from '../db/schema.ts'
import { errors } from '../errors.ts'
import { asItIs } from '../http/answers.ts'
import type { App } from '../http/app.ts'
import type { Registry } from '../integrations/registry.ts'
import { text } from '../resources/define.ts'
import { resources } from '../resources/index.ts'
import { givenTags } from '../resources/written.ts'
import type { OpenConnection } from '../sync/open-connection.ts'
import { emit } from '../webhooks/emit.ts'
import { recordEvents } from '../webhooks/record-events.ts'
import { envelope, envelopeOf } from './envelope.ts'

/** `PUT …/service-tags` of every resource that carries labels. They are kept here; no system is asked. */
export function tagRoutes(
  app: App,
  parts: {
    db: Db
    registry: Registry
    now: () => Date
    open(connectionId: string): Promise<OpenConnection | null>
    countUse(connectionId: string): void
  },
) {
  for (const resource of resources.filter(({ tags }) => tags)) {
    app.put(
      `${resource.path}/:${resource.itemParameter}/service-tags`,
      {
        config: { access: 'connection' },
        schema: {
          tags: [resource.type],
          summary: `Replace the labels of one of ${resource.name.replaceAll('_', ' ')}`,
          params: Type.Object({ [resource.itemParameter]: text } as TProperties),
          body: Type.Object({ service_tags: givenTags }, { additionalProperties: false }),
          response: { 200: envelopeOf(resource.answer) },
        },
      },
      async ({ connection, params, body }, reply) => {
        parts.countUse(connection!.id)
        requireFunction(parts.registry, connection!, resource.type, resource.readAction)
        const id = (params as Record<string, string>)[resource.itemParameter]!
        const opened = await parts.open(connection!.id)
        if (!opened) throw errors.invalidAccessToken()
        const saved = await parts.db.transaction().execute(async (trx) => {
          const saved = await saveTags(trx, resource, connection!.id, id, body.service_tags, parts.now())
          if (saved?.changed) await emit(trx, opened.source, recordEvents(resource, [saved.changed]))
          return saved
        })
        if (!saved) throw errors.notFound(resource.singular.replaceAll('_', ' '), id)
        return asItIs(reply, envelope(saved.body, id, []))
      },
    )
  }
}
