import { randomBytes } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { startCrossdock } from '../../server/src/app.ts'
import { type Config, readConfig } from '../../server/src/config.ts'
import { temporaryFolder } from '../../server/src/db/temporary-folder.fixture.ts'
import { eventually } from '../../server/src/eventually.fixture.ts'
import type { Integration } from '../../server/src/integrations/define.ts'

export interface Answer<Body = any> {
  status: number
  headers: Headers
  body: Body
}

/** A whole Crossdock on an embedded database of its own, in a folder that goes with it. */
export interface TestCrossdock {
  url: string
  apiKey: string
  operatorKey: string
  dataDir: string
  /** Calls the API with the organization's key, and an access token where one is given. */
  call(method: string, path: string, options?: CallOptions): Promise<Answer>
  stop(): Promise<void>
}

export interface CallOptions {
  token?: string
  body?: unknown
  headers?: Record<string, string>
}

export async function startTestCrossdock(
  change: Partial<Config> = {},
  options: { integrations?: readonly Integration[] } = {},
): Promise<TestCrossdock> {
  const dataDir = await temporaryFolder('test')
  const apiKey = `sk_${randomBytes(16).toString('hex')}`
  const operatorKey = `op_${randomBytes(16).toString('hex')}`
  const config = readConfig({
    DATA_DIR: dataDir,
    PORT: '0',
    LOG_LEVEL: 'silent',
    BOOTSTRAP_API_KEY: apiKey,
    OPERATOR_KEY: operatorKey,
    RATE_LIMIT_READ_PER_SECOND: '0',
    RATE_LIMIT_WRITE_PER_SECOND: '0',
    ALLOW_PRIVATE_NETWORK: 'true',
  })
  const crossdock = await startCrossdock({ ...config, ...change }, ['api', 'worker'], options)
  const url = crossdock.address!
  return {
    url,
    apiKey,
    operatorKey,
    dataDir,
    call: caller(url, apiKey),
    async stop() {
      await crossdock.stop()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

/** Calls an API with an organization's key. */
export function caller(url: string, apiKey: string): TestCrossdock['call'] {
  return async (method, path, { token, body, headers = {} } = {}) => {
    const response = await fetch(url + path, {
      method,
      headers: {
        'x-service-api-key': apiKey,
        ...(token ? { 'x-service-access-token': token } : {}),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    const json = response.headers.get('content-type')?.includes('json')
    return { status: response.status, headers: response.headers, body: json && text ? JSON.parse(text) : text }
  }
}

/** A sandbox connection whose first syncs are complete. */
export async function syncedSandbox(crossdock: Pick<TestCrossdock, 'call'>): Promise<{ id: string; token: string }> {
  const { body } = await crossdock.call('POST', '/sandbox/generate-sandbox/wms')
  await eventually(async () => {
    const { data } = (await crossdock.call('GET', `/connections/${body.connection_id}`)).body
    const schedules = data[0].sync_schedules as { last_crawl_end: string | null }[]
    return schedules.every((schedule) => schedule.last_crawl_end !== null)
  })
  return { id: body.connection_id, token: body.access_token }
}
