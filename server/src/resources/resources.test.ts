import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operators } from './define.ts'
import { resources } from './index.ts'

const named = (resource: (typeof resources)[number]) => `${resource.type}/${resource.name}`
const propertiesOf = (schema: unknown) => (schema as { properties: Record<string, { type?: unknown }> }).properties

function assertUnique(keys: string[]) {
  assert.deepEqual(
    keys.filter((key, at) => keys.indexOf(key) !== at),
    [],
  )
}

test('no two resources share a read action, a path or an event type', () => {
  assertUnique(resources.map(({ type, readAction }) => `${type} ${readAction}`))
  assertUnique(resources.map(({ path }) => path))
  assertUnique(
    resources.flatMap(({ event, growth }) =>
      event === null ? [] : [`${event}.created`, `${event}.updated`, ...Object.values(growth)],
    ),
  )
})

const known = new Set<string>(Object.values(operators).flat())
const scalars = ['string', 'integer', 'number', 'boolean']

for (const resource of resources) {
  const properties = propertiesOf(resource.fields)

  test(`${named(resource)}: paths start with the type, and what they are scoped by is a field that is always there`, () => {
    assert.ok(resource.path.startsWith(`/${resource.type}/`))
    for (const field of resource.pathFields) assert.equal(properties[field]?.type, 'string', field)
  })

  test(`${named(resource)}: every filter compares a scalar field of its own with known operators`, () => {
    const common = ['id', 'created_date', 'updated_date', 'additional_fields', ...resource.pathFields]
    for (const [field, allowed] of Object.entries(resource.filters)) {
      assert.ok(!common.includes(field), `${field} is no filter of its own`)
      const type = [properties[field]?.type].flat()[0]
      assert.ok(scalars.includes(String(type)), `${field} is ${type}`)
      assert.ok(allowed.includes('='), `${field} lacks the bare form`)
      assertUnique([...allowed])
      for (const operator of allowed) assert.ok(known.has(operator), `${field}: ${operator}`)
    }
  })

  test(`${named(resource)}: only lists grow`, () => {
    for (const field of Object.keys(resource.growth)) assert.equal(properties[field]?.type, 'array', field)
  })

  test(`${named(resource)}: the answer adds the service's own fields and nothing else`, () => {
    const added = Object.keys(propertiesOf(resource.answer)).filter((field) => !(field in properties))
    const own = ['service_created_date', 'service_updated_date']
    assert.deepEqual(added, resource.tags ? ['service_tags', ...own] : own)
  })
}

test('a resource listed under another one names its item parameter and its scope', () => {
  const locations = resources.find(({ readAction }) => readAction === 'get_warehouse_locations')
  assert.equal(locations?.itemParameter, 'location_id')
  assert.deepEqual(locations?.pathFields, ['warehouse_id'])
})
