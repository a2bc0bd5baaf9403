import { rm } from 'node:fs/promises'
import { Writable } from 'node:stream'
import { pino } from 'pino'
import { findConnectionCaller } from '../connections/find-connections.ts'
import { startEmbeddedPostgres } from '../db/embedded.ts'
import { migrate } from '../db/migrate.ts'
import { openDatabase } from '../db/open.ts'
import type { Db } from '../db/schema.ts'
import { temporaryFolder } from '../db/temporary-folder.fixture.ts'
import { findCaller } from '../organizations/api-keys.ts'
import { createOrganization, type Organization } from '../organizations/organizations.ts'
import { organizationRoutes } from '../organizations/routes.ts'
import { hashSecret } from '../secrets.ts'
import type { App } from './app.ts'
import { createHttpServer } from './server.ts'

export interface Door {
  db: Db
  /** Where it listens, as `http://127.0.0.1:1234`. */
  origin: string
  organization: Organization
  /** Lines of the server's log. */
  log: { level: number; requestId?: string; err?: { message: string } }[]
  /** Organizations whose schedules were brought in line. */
  aligned: string[]
  call(method: string, path: string, sent?: Sent): Promise<Answer>
  close(): Promise<void>
}

export interface Sent {
  /** Sent as JSON. */
  json?: unknown
  /** Sent as it is. */
  body?: string | Uint8Array
  /** The organization's full key unless given; null sends none. */
  key?: string | null
  headers?: Record<string, string>
}

export interface Answer {
  status: number
  headers: Headers
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests read whatever was answered
  body: any
}

export const operatorHeaders = { 'x-service-operator-key': 'the operator of this test' }

/** Serves the organization routes and those of the test over real HTTP, on a real database. */
export async function openDoor(
  options: { routes?: (app: App, db: Db) => void; rateLimit?: { readPerSecond: number; writePerSecond: number } } = {},
): Promise<Door> {
  const dataDir = await temporaryFolder('door')
  const postgres = await startEmbeddedPostgres({ dataDir })
  const { db, close } = openDatabase(postgres.url, 4)
  await migrate(db, [])
  const { organization, api_key } = await createOrganization(db, 'Test')
  const log: Door['log'] = []
  const aligned: string[] = []
  const app = await createHttpServer({
    log: pino(new Writable({ write: (line, _, done) => done(void log.push(JSON.parse(String(line))) as never) })),
    keys: {
      findCaller: (hash) => findCaller(db, hash),
      findConnection: (hash) => findConnectionCaller(db, hash),
      operatorKeyHash: hashSecret(operatorHeaders['x-service-operator-key']),
    },
    rateLimit: options.rateLimit ?? { readPerSecond: 0, writePerSecond: 0 },
    publicUrl: 'http://127.0.0.1',
  })
  organizationRoutes(app, { db, align: async (_, id) => void aligned.push(id) })
  options.routes?.(app, db)
  const origin = await app.listen({ host: '127.0.0.1', port: 0 })
  return {
    db,
    origin,
    organization,
    log,
    aligned,
    async call(method, path, { json, body, key = api_key, headers } = {}) {
      const response = await fetch(origin + path, {
        method,
        headers: {
          ...(key === null ? {} : { 'x-service-api-key': key }),
          ...(json === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        body: json === undefined ? (body as string | undefined) : JSON.stringify(json),
      } as RequestInit)
      const text = await response.text()
      const isJson = response.headers.get('content-type')?.startsWith('application/json') && text !== ''
      return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : null }
    },
    async close() {
      await app.close()
      await close()
      await postgres.stop()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}
