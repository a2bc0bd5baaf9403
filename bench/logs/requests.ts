import { fork } from 'node:child_process'
import type { AddressInfo } from 'node:net'
import { pino } from 'pino'
import { findConnectionCaller } from '../../server/src/connections/find-connections.ts'
import { dataRoutes } from '../../server/src/data/routes.ts'
import type { Database } from '../../server/src/db/open.ts'
import { createHttpServer } from '../../server/src/http/server.ts'
import { createRegistry } from '../../server/src/integrations/registry.ts'
import { sandbox } from '../../server/src/integrations/sandbox/index.ts'
import type { ApiLog } from '../../server/src/logs/api-log.ts'
import { requestLog } from '../../server/src/logs/request-log.ts'
import { findCaller } from '../../server/src/organizations/api-keys.ts'
import { startDatabase } from '../database.ts'
import { seed } from '../http/seed.ts'

const rounds = 5
const paths = ['/wms/orders?limit=100', '/wms/orders/ORD-00000001']

/** Requests per second to the data API, by 32 clients, with the log and without; the median of the rounds. */
export async function timeRequests(open: (database: Database) => ApiLog, seconds: number) {
  const database = await startDatabase()
  const { apiKey, accessToken } = await seed(database.db)
  const headers = JSON.stringify({ 'x-service-api-key': apiKey, 'x-service-access-token': accessToken })
  const log = open(database)
  await log.maintain(new Date())
  const doors = { on: await serve(database, log), off: await serve(database, null) }
  const timings = []
  for (const path of paths) {
    const counts: { on: number[]; off: number[] } = { on: [], off: [] }
    for (let round = 0; round <= rounds; round++) {
      for (const name of ['on', 'off'] as const) {
        const count = await ask(doors[name].origin, path, headers, seconds)
        // the first round warms up
        if (round > 0) counts[name].push(count)
      }
    }
    timings.push({ path, on: median(counts.on), off: median(counts.off) })
  }
  await Promise.all([doors.on.close(), doors.off.close()])
  await log.close()
  await database.stop()
  return timings
}

/** @returns requests per second of a requester in a process of its own */
function ask(origin: string, path: string, headers: string, seconds: number): Promise<number> {
  const requester = fork(new URL('./requester.ts', import.meta.url), [origin, path, headers, String(seconds)])
  return new Promise((resolve, reject) => {
    requester.once('message', (count) => resolve(count as number))
    requester.once('exit', () => reject(new Error(`${path} could not be read`)))
  })
}

const median = (numbers: number[]) => numbers.sort((a, b) => a - b)[numbers.length >> 1]!

async function serve({ db }: Database, log: ApiLog | null) {
  const app = await createHttpServer({
    log: pino({ level: 'silent' }),
    rateLimit: { readPerSecond: 0, writePerSecond: 0 },
    publicUrl: 'http://127.0.0.1',
    keys: {
      findCaller: (hash) => findCaller(db, hash),
      findConnection: (hash) => findConnectionCaller(db, hash),
      operatorKeyHash: Buffer.alloc(32),
    },
  })
  if (log) requestLog(app, { log, findConnection: async () => null, now: () => new Date() })
  dataRoutes(app, { db, registry: createRegistry([sandbox('http://127.0.0.1:9')]), countUse: () => {} })
  await app.listen({ host: '127.0.0.1', port: 0 })
  return { origin: `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`, close: () => app.close() }
}
