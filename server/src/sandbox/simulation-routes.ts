import { type TSchema, Type } from 'typebox'
import { errors } from '../errors.ts'
import { asItIs } from '../http/answers.ts'
import type { App } from '../http/app.ts'
import type { WriteAction } from '../integrations/define.ts'
import { simulations } from '../integrations/sandbox/simulations.ts'
import { text } from '../resources/define.ts'
import { pathId } from '../writes/path-id.ts'
import { performWrite, type WriteParts } from '../writes/perform-write.ts'

/** Makes the warehouse of a sandbox do its part; the record follows at once and its events are told. */
export function simulationRoutes(app: App, parts: Omit<WriteParts, 'log'> & { countUse(connectionId: string): void }) {
  const fulfil = simulations.fulfilOrder as WriteAction
  const receive = simulations.receiveReturn as WriteAction
  offer(fulfil, { partial: Type.Boolean({ default: false, description: 'Ship about half of what is left' }) })
  offer(receive, {})

  function offer(action: WriteAction, query: Record<string, TSchema>) {
    const { write, resource } = action
    app.put(
      write.path,
      {
        config: { access: 'connection', idempotency: 'recovers' },
        schema: {
          tags: ['Sandbox'],
          summary: write.summary,
          params: Type.Object({ [write.itemParameter!]: text }),
          querystring: Type.Object(query, { additionalProperties: false }),
          response: { 200: Type.Object({ data: resource.answer }) },
        },
      },
      async ({ connection, params, query, idempotency, log }, reply) => {
        parts.countUse(connection!.id)
        const id = pathId(write, params)
        if (connection!.integrationName !== 'sandbox') throw errors.notFound(resource.singular, id)
        const { record } = await performWrite(
          { ...parts, log },
          { connectionId: connection!.id, action, id, body: query, faults: null, tags: undefined, idempotency },
        )
        return asItIs(reply, `{"data":${record}}`)
      },
    )
  }
}
