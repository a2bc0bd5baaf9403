import { fork } from 'node:child_process'
import { once } from 'node:events'
import { sql } from 'kysely'
import { pino } from 'pino'
import { Type } from 'typebox'
import type { Database } from '../../server/src/db/open.ts'
import { createHttpServer } from '../../server/src/http/server.ts'
import type { ApiLog } from '../../server/src/logs/api-log.ts'
import { requestLog } from '../../server/src/logs/request-log.ts'
import { connectionId, organizationId } from './load.ts'

const rounds = 5

/** Requests per second of a read with one SELECT, by 32 clients, with the log and without; the median of the rounds. */
export async function timeRequests(database: Database, open: () => ApiLog, seconds: number) {
  const log = open()
  const on = await serve(database, log)
  const off = await serve(database, null)
  const counts: { on: number[]; off: number[] } = { on: [], off: [] }
  for (let round = 0; round <= rounds; round++) {
    for (const [name, port] of Object.entries({ on: on.port, off: off.port }) as ['on' | 'off', number][]) {
      const client = fork(new URL('./requester.ts', import.meta.url), [String(port), String(seconds)])
      const [count] = await once(client, 'message')
      // the first round warms up
      if (round > 0) counts[name].push(count / seconds)
    }
  }
  await Promise.all([on.app.close(), off.app.close()])
  await log.close()
  return { on: median(counts.on), off: median(counts.off) }
}

const median = (numbers: number[]) => numbers.sort((a, b) => a - b)[numbers.length >> 1]!

async function serve({ db }: Database, log: ApiLog | null) {
  const connection = {
    id: connectionId(0, 0),
    organizationId: organizationId(0),
    integrationType: 'wms' as const,
    integrationName: 'warehouse-1',
    disabledFunctions: new Set<string>(),
  }
  const app = await createHttpServer({
    log: pino({ level: 'silent' }),
    rateLimit: { readPerSecond: 0, writePerSecond: 0 },
    publicUrl: 'http://127.0.0.1',
    credentials: {
      findCaller: async () => ({ organizationId: connection.organizationId, scope: 'full' }),
      findConnection: async () => connection,
      operatorKeyHash: Buffer.alloc(32),
    },
  })
  if (log) requestLog(app, { log, findConnection: async () => null, now: () => new Date() })
  app.get(
    '/wms/orders/:order_id',
    {
      config: { access: 'connection' },
      schema: {
        params: Type.Object({ order_id: Type.String() }),
        querystring: Type.Object({ limit: Type.Optional(Type.Integer()) }),
      },
      serializerCompiler: () => String,
    },
    async () => {
      const { rows } = await sql<{ body: string }>`
        select json_build_object('note', repeat('x', 800))::text as body
        from pg_namespace where nspname = ${'public'}`.execute(db)
      return `{"data":${rows[0]!.body}}` as never
    },
  )
  await app.listen({ host: '127.0.0.1', port: 0 })
  return { app, port: (app.server.address() as { port: number }).port }
}
