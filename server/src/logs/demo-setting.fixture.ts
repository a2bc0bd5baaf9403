import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { startEmbeddedPostgres } from '../db/embedded.ts'
import { migrate } from '../db/migrate.ts'
import { type Database, openDatabase } from '../db/open.ts'
import { temporaryFolder } from '../db/temporary-folder.fixture.ts'
import { demo } from './demo-server.fixture.ts'

export interface Setting {
  url: string
  /** A system behind: refuses bodies with `fail`. */
  upstream: string
  database: Database
  /** Another process that serves the demo. */
  spawn(): Promise<{ origin: string; process: ChildProcess }>
  close(): Promise<void>
}

/** A migrated database of its own and a system behind, for tests of the log. */
export async function openSetting(): Promise<Setting> {
  const dataDir = await temporaryFolder('log')
  const postgres = await startEmbeddedPostgres({ dataDir })
  const database = openDatabase(postgres.url, 4)
  await migrate(database.db, [])
  const behind = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    response.writeHead(body.includes('fail') ? 422 : 200, { 'content-type': 'application/json' }).end('{}')
  }).listen(0, '127.0.0.1')
  await once(behind, 'listening')
  const upstream = `http://127.0.0.1:${(behind.address() as AddressInfo).port}`
  return {
    url: postgres.url,
    upstream,
    database,
    async spawn() {
      const child = fork(new URL('./demo-server.fixture.ts', import.meta.url), [postgres.url, upstream], {
        execArgv: [],
      })
      const [origin] = (await once(child, 'message')) as [string]
      return { origin, process: child }
    },
    async close() {
      behind.close()
      await database.close()
      await postgres.stop()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

/** Sends a request with the demo's credentials; without the access token a search is not logged itself. */
export async function send(
  origin: string,
  method: string,
  path: string,
  more: { json?: unknown; headers?: Record<string, string>; accessToken?: string | null } = {},
) {
  const { json, accessToken = demo.accessToken } = more
  const response = await fetch(origin + path, {
    method,
    headers: {
      'x-service-api-key': demo.apiKey,
      ...(accessToken === null ? {} : { 'x-service-access-token': accessToken }),
      ...(json === undefined ? {} : { 'content-type': 'application/json' }),
      ...more.headers,
    },
    ...(json === undefined ? {} : { body: JSON.stringify(json) }),
  })
  const text = await response.text()
  const id = response.headers.get('x-request-id')!
  return { status: response.status, id, text, body: text ? JSON.parse(text) : null }
}
