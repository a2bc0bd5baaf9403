import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import { type Answer, startTestCrossdock, syncedSandbox, type TestCrossdock } from './crossdock.ts'

/** The Crossdock of a file's tests, with a sandbox connection whose first syncs are complete. */
export interface TestSandbox {
  readonly crossdock: TestCrossdock
  readonly id: string
  readonly token: string
  /** Calls with the connection's access token. */
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
  /** A call that has to succeed. @returns its body */
  ok(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<any>
}

/** Starts it before the tests of the file that asks, and stops it after them. */
export function useSandbox(): TestSandbox {
  let crossdock: TestCrossdock
  let connection: { id: string; token: string }
  before(async () => {
    crossdock = await startTestCrossdock()
    connection = await syncedSandbox(crossdock)
  })
  after(() => crossdock?.stop())

  const call: TestSandbox['call'] = (method, path, body, headers = {}) =>
    crossdock.call(method, path, { token: connection.token, body, headers })
  return {
    get crossdock() {
      return crossdock
    },
    get id() {
      return connection.id
    },
    get token() {
      return connection.token
    },
    call,
    async ok(method, path, body, headers) {
      const answer = await call(method, path, body, headers)
      assert.equal(answer.status, 200, `${method} ${path} ${JSON.stringify(answer.body)}`)
      return answer.body
    },
  }
}
