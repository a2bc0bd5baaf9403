import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { ApiError } from '../errors.ts'
import { type Door, openDoor } from './door.fixture.ts'

let door: Door
let errorSchema: { required: string[]; properties: Record<string, object> }
let operations: [name: string, operation: Operation][]

interface Operation {
  security: Record<string, unknown>[]
  summary: string
  requestBody?: { required: boolean; content: Record<string, { schema: object }> }
  parameters?: { name: string; schema: object }[]
  responses: Record<string, { headers?: Record<string, object>; content?: Record<string, { schema: object }> }>
}

before(async () => {
  door = await openDoor()
  const { status, body } = await door.call('GET', '/openapi.json', { key: null })
  assert.deepEqual([status, body.openapi, body.info.version], [200, '3.1.0', '0.1.0'])
  errorSchema = body.components.responses.Error.content['application/json'].schema
  operations = Object.entries(body.paths as Record<string, Record<string, Operation>>).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => [`${method} ${path}`, operation] as [string, Operation]),
  )
})
after(() => door.close())

const named = (name: string) => operations.find(([each]) => each === name)?.[1]

test('the document tells of every route which key it needs, its answer and its errors', () => {
  assert.deepEqual(named('get /api-keys')?.security, [{ apiKey: [] }])
  assert.deepEqual(named('get /operator/organizations/{id}')?.security, [{ operatorKey: [] }])
  for (const [name, operation] of operations) {
    assert.ok(operation.summary, name)
    assert.ok(operation.responses['200']?.content?.['application/json']?.schema, name)
    assert.deepEqual(operation.responses.default, { $ref: '#/components/responses/Error' }, name)
  }
})

test('the document names every field that an error can have', () => {
  const told = Object.keys(new ApiError(500, 'It failed').body)
  assert.deepEqual(Object.keys(errorSchema.properties).sort(), told.sort())
  assert.deepEqual(errorSchema.required, ['error', 'origin'])
})

test('a body that may be left out is not required', () => {
  assert.equal(named('post /api-keys')?.requestBody?.required, false)
  assert.equal(named('post /operator/organizations')?.requestBody?.required, true)
})

test('every answer tells its request id and the rate limit', () => {
  for (const [name, { responses }] of operations) {
    assert.ok(responses['200']?.headers?.['x-request-id'], name)
    assert.ok(responses['200']?.headers?.['x-ratelimit-remaining'], name)
  }
})

test('what serves the reference itself is not in it', () => {
  assert.deepEqual(
    operations.filter(([name]) => /docs|openapi/.test(name)),
    [],
  )
})

test('every schema of the document is one of JSON Schema 2020-12', () => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false })
  for (const [name, { parameters = [], requestBody, responses }] of operations) {
    const bodies = [requestBody?.content, ...Object.values(responses).map(({ content }) => content)]
    const schemas = [...parameters, ...bodies.flatMap((content) => Object.values(content ?? {}))]
    for (const { schema } of schemas) {
      assert.ok(ajv.validateSchema(schema), `${name}: ${ajv.errorsText()}`)
      assert.ok(!JSON.stringify(schema).includes('"nullable"'), name)
    }
  }
})

test('the reference is rendered for everybody', async () => {
  const { status, headers, text } = await door.call('GET', '/docs/', { key: null })
  assert.deepEqual([status, headers.get('content-type')], [200, 'text/html; charset=utf-8'])
  assert.match(text, /swagger-ui/)
})
