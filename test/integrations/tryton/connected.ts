import assert from 'node:assert/strict'
import { eventually } from '../../../server/src/eventually.fixture.ts'
import { startTestCrossdock, type TestCrossdock } from '../../harness/crossdock.ts'
import { ensureTryton } from './install-tryton.ts'
import { startTryton, type TrytonServer } from './tryton-server.ts'

/** A Tryton, a Crossdock, and what a caller does between them. */
export interface Stage {
  tryton: TrytonServer
  crossdock: TestCrossdock
  /** Installs through the link calls, as the user given; the first crawls are due then. */
  install(user: { login: string; password: string }, options?: InstallOptions): Promise<Connection>
  stop(): Promise<void>
}

interface InstallOptions {
  /** Where it is not Tryton's own. */
  url?: string
  disabledFunctions?: string[]
}

export interface Connection {
  id: string
  token: string
  /** What `GET /connections/{id}` tells. */
  detail(): Promise<Detail>
  /** Resolves when every schedule has ended or failed its first crawl. */
  firstCrawls(): Promise<void>
  /** Orders a crawl of these functions, of all of them without, and resolves when each has ended or failed. */
  sync(...functions: string[]): Promise<void>
  /** Every record of a list, all pages. */
  list(path: string): Promise<UnifiedRecord[]>
  call(method: string, path: string, body?: unknown): Promise<{ status: number; body: Json }>
}

export type Json = any

export type UnifiedRecord = { id: string; service_updated_date: string } & Record<string, Json>

interface Detail {
  errors: { error_message: string; affected_endpoints: { endpoint: string; preventing_sync: boolean }[] }[]
  sync_schedules: Schedule[]
  available_actions: string[]
  me: { account_id: string; account_name: string } | null
}

interface Schedule {
  function_name: string
  sync_status: string
  last_crawl_start: string | null
  last_crawl_end: string | null
}

export async function startStage(): Promise<Stage> {
  const presence = ensureTryton()
  assert.ok(presence.available, presence.available ? '' : presence.reason)
  const tryton = await startTryton()
  const crossdock = await startTestCrossdock()
  return {
    tryton,
    crossdock,
    async install(user, { url = tryton.url, disabledFunctions = [] } = {}) {
      const installed = await tryInstall(crossdock, { ...tryton, url }, user, disabledFunctions)
      assert.equal(installed.status, 200, JSON.stringify(installed.body))
      const exchanged = await crossdock.call('POST', '/link/exchange', {
        body: { auth_code: installed.body.auth_code },
      })
      assert.equal(exchanged.status, 200, JSON.stringify(exchanged.body))
      return connectionOf(crossdock, exchanged.body.connection_id, exchanged.body.access_token)
    },
    async stop() {
      await crossdock.stop()
      await tryton.stop()
    },
  }
}

export async function tryInstall(
  crossdock: TestCrossdock,
  tryton: Pick<TrytonServer, 'url' | 'database'>,
  user: { login: string; password: string },
  disabledFunctions: string[] = [],
) {
  const { body } = await crossdock.call('POST', '/link/token')
  const credentials = { base_url: tryton.url, database: tryton.database, username: user.login, password: user.password }
  return crossdock.call('POST', '/link/install', {
    headers: { 'x-service-link-token': body.link_token },
    body: { integration_name: 'tryton', credentials, disabled_functions: disabledFunctions },
  })
}

/** A connection, however it was installed. */
export function connectionOf(crossdock: TestCrossdock, id: string, token: string): Connection {
  const detail = async () => {
    const { status, body } = await crossdock.call('GET', `/connections/${id}`)
    assert.equal(status, 200, JSON.stringify(body))
    return body.data[0] as Detail
  }
  const call: Connection['call'] = (method, path, body) => crossdock.call(method, path, { token, body })
  return {
    id,
    token,
    detail,
    call,
    async firstCrawls() {
      await eventually(async () => {
        const { sync_schedules } = await detail()
        return sync_schedules.every((each) => each.sync_status === 'disabled' || each.last_crawl_end !== null)
      }, 120_000)
    },
    async sync(...functions) {
      const wanted = (schedule: Schedule) =>
        functions.length > 0 ? functions.includes(schedule.function_name) : schedule.sync_status !== 'disabled'
      const before = new Map((await detail()).sync_schedules.map((each) => [each.function_name, each.last_crawl_end]))
      const ordered = await call(
        'POST',
        '/connections/sync',
        functions.length > 0 ? { functions_to_sync: functions } : {},
      )
      assert.equal(ordered.status, 200, JSON.stringify(ordered.body))
      await eventually(async () => {
        const { sync_schedules } = await detail()
        return sync_schedules.filter(wanted).every((each) => each.last_crawl_end !== before.get(each.function_name))
      }, 120_000)
    },
    async list(path) {
      const records: UnifiedRecord[] = []
      for (let token: string | null = ''; token !== null; ) {
        const { status, body } = await call('GET', `${path}?limit=1000&page_token=${encodeURIComponent(token)}`)
        assert.equal(status, 200, JSON.stringify(body))
        records.push(...body.data)
        token = body.next_token || null
      }
      return records
    },
  }
}
