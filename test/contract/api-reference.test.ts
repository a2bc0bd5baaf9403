import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startTestCrossdock, type TestCrossdock } from '../harness/crossdock.ts'

interface Operation {
  security: Record<string, unknown>[]
  parameters?: { name: string; required?: boolean; schema: object }[]
}

let crossdock: TestCrossdock
let operations: [name: string, operation: Operation][]

before(async () => {
  crossdock = await startTestCrossdock()
  const { body } = await crossdock.call('GET', '/openapi.json')
  assert.doesNotMatch(JSON.stringify(body.paths), /"(errorMessage|maxBytes)":/)
  operations = Object.entries<Record<string, Operation>>(body.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => [`${method} ${path}`, operation] as [string, Operation]),
  )
})
after(() => crossdock.stop())

test('the reference requires no parameter that has a default', () => {
  const defaults = operations.flatMap(([operation, { parameters = [] }]) =>
    parameters.filter(({ schema }) => 'default' in schema).map(({ name, required }) => ({ operation, name, required })),
  )
  assert.ok(defaults.length > 0)
  assert.deepEqual(
    defaults.filter(({ required }) => required),
    [],
  )
})

test('the reference offers an Idempotency-Key with every write that an organization makes, but passing requests through', () => {
  const taking = ([, { parameters = [] }]: [string, Operation]) =>
    parameters.some(({ name }) => name === 'idempotency-key')
  const writes = operations.filter(
    ([name, { security }]) => !name.startsWith('get ') && security.some((keys) => 'apiKey' in keys),
  )
  assert.ok(writes.length > 30)
  const without = writes.filter((operation) => !taking(operation)).map(([name]) => name)
  assert.deepEqual(without, ['post /wms/passthrough'])
  assert.deepEqual(operations.filter(([name]) => name.startsWith('get ')).filter(taking), [])
})

test('the reference lets write-info be asked with an access token and without', () => {
  const info = operations.find(([name]) => name.endsWith('/write-info'))![1]
  assert.deepEqual(info.security, [{ apiKey: [] }, { apiKey: [], accessToken: [] }])
})
