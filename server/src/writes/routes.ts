import { type TProperties, Type } from 'typebox'
import { requireFunction } from '../data/require-function.ts'
import type { Tags } from '../data/save-written.ts'
import { asItIs } from '../http/answers.ts'
import type { App } from '../http/app.ts'
import { compileCheck } from '../http/validation.ts'
import { type WriteAction, writeActions } from '../integrations/define.ts'
import type { Registry } from '../integrations/registry.ts'
import { text } from '../resources/define.ts'
import type { Write } from '../resources/define-write.ts'
import { writes } from '../resources/writes.ts'
import { writtenTags } from '../resources/written.ts'
import { envelope, envelopeOf } from './envelope.ts'
import { acceptForms } from './forms.ts'
import { pathId } from './path-id.ts'
import { performWrite, type WriteParts } from './perform-write.ts'
import { unusedFields } from './unused-fields.ts'

/** A route of every write; which of its fields are taken is up to the integration of the connection. */
export function writeRoutes(
  app: App,
  parts: Omit<WriteParts, 'log'> & { registry: Registry; countUse(connectionId: string): void },
) {
  const { registry } = parts
  const checks = new Map(
    registry.all.flatMap(writeActions).map((action) => [action, compileCheck(action.body)] as const),
  )
  for (const write of writes.filter(({ multipart }) => !multipart)) offer(app, write)
  void app.register(async (scope) => {
    await acceptForms(scope as App)
    for (const write of writes.filter(({ multipart }) => multipart)) offer(scope as App, write)
  })

  function offer(scope: App, write: Write) {
    scope.route({
      method: write.method,
      url: write.path,
      config: {
        access: 'connection',
        idempotency: 'recovers',
        documentedBody: documentedBody(write),
        ...(write.multipart && { logged: { without: ['file'] } }),
      },
      schema: {
        tags: [write.resource.type],
        summary: write.summary,
        operationId: write.action,
        ...(write.multipart && { consumes: ['multipart/form-data'] }),
        // each integration takes its own
        body: Type.Unknown(),
        ...(write.itemParameter && { params: Type.Object({ [write.itemParameter]: text } as TProperties) }),
        response: { 200: envelopeOf(write.multipart ? Type.Literal('success') : write.resource.answer) },
      },
      handler: async (request, reply) => {
        const connection = request.connection!
        parts.countUse(connection.id)
        const integration = requireFunction(registry, connection, write.resource.type, write.action)
        const action = integration.actions[write.action] as WriteAction
        const body = bodyOf(action, request.body)
        const { service_tags: tags, ...own } = Object(body) as Record<string, unknown>
        const { id, record } = await performWrite(
          { ...parts, log: request.log },
          {
            connectionId: connection.id,
            action,
            id: write.itemParameter ? pathId(write, request.params) : '',
            body: own,
            faults: checks.get(action)!(body),
            tags: tags as Tags | undefined,
            idempotency: request.idempotency,
          },
        )
        return asItIs(reply, envelope(write.multipart ? '"success"' : record, id, unusedFields(action, own)))
      },
    })
  }
}

/** What takes no fields needs no body. */
const bodyOf = (action: WriteAction, body: unknown) =>
  body === undefined && Object.keys(action.body.properties).length === 0 ? {} : body

/** Every field there is; which of them are required and taken tells write-info. */
function documentedBody({ body, tags }: Write): object {
  const { required: _, ...schema } = body
  const properties = tags ? { ...body.properties, service_tags: writtenTags } : body.properties
  return {
    ...schema,
    properties,
    ...(Object.keys(properties).length === 0 && { default: {} }),
    description: 'Which fields an integration takes and requires is in its write-info.',
  }
}
