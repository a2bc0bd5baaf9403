import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { Validator } from '@seriousme/openapi-schema-validator'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import fc from 'fast-check'
import { eventually } from '../../server/src/eventually.fixture.ts'
import { anOrder } from '../harness/an-order.ts'
import { type Answer, startTestCrossdock, syncedSandbox, type TestCrossdock } from '../harness/crossdock.ts'
import { type Known, mutants, type Schema, validBodies } from './bodies.ts'

/** Bodies and mutants per action. */
const runs = 200

let crossdock: TestCrossdock
let sandbox: { id: string; token: string }
let document: Document

interface Document {
  openapi: string
  paths: Record<string, Record<string, { operationId: string; requestBody?: { content: Record<string, unknown> } }>>
  components: { schemas: Record<string, Schema> }
}

const call = (method: string, path: string, body?: unknown): Promise<Answer> =>
  crossdock.call(method, path, {
    token: sandbox.token,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })

async function make(path: string, body: object): Promise<string> {
  const answer = await call('POST', path, body)
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return answer.body.id
}

before(async () => {
  crossdock = await startTestCrossdock()
  sandbox = await syncedSandbox(crossdock)
  document = (await call('GET', '/integrations/wms/sandbox/write-info')).body
  for (const item of ['K5001', 'K5002', 'K5003']) {
    for (const warehouse_id of ['F1', 'F2']) {
      const more = { quantity: 1_000_000, adjustment_type: 'increase', warehouse_id }
      assert.equal((await call('PUT', `/wms/inventory/${item}/adjust`, more)).status, 200)
    }
  }
})
after(() => crossdock.stop())

test('the documents of all integrations are OpenAPI 3.1.0, with and without a connection', async () => {
  const { data } = (await call('GET', '/integrations/wms')).body
  for (const { integration_name: name } of data) {
    const general = await crossdock.call('GET', `/integrations/wms/${name}/write-info`)
    for (const each of name === 'sandbox' ? [general.body, document] : [general.body]) {
      assert.equal(each.openapi, '3.1.0')
      const { valid, errors } = await new Validator().validate(structuredClone(each))
      assert.ok(valid, `${name}: ${JSON.stringify(errors)}`)
    }
  }
})

test('every object has a title, its required fields in order, and takes no others', () => {
  const check = (schema: Schema & { title?: string }, where: string) => {
    if (schema.properties) {
      assert.ok(schema.title, where)
      assert.deepEqual(schema.required, [...schema.required!].sort(), where)
      assert.equal(schema.additionalProperties, false, where)
    }
    for (const [name, field] of Object.entries(schema.properties ?? {})) check(field, `${where}.${name}`)
    if (schema.items) check(schema.items, where)
  }
  for (const [name, schema] of Object.entries(document.components.schemas)) check(schema, name)
})

test('the create-return document is as published', () => {
  const { properties, required } = document.components.schemas.CreateReturn!
  assert.deepEqual(required, ['line_items', 'order_id', 'return_number'])
  assert.deepEqual(Object.keys(properties!).sort(), [
    'line_items',
    'order_id',
    'return_number',
    'service_tags',
    'tracking_number',
    'tracking_url',
    'warehouse_id',
  ])
  const line = properties!.line_items!.items!
  assert.deepEqual(line.required, ['expected_quantity', 'sku'])
  assert.deepEqual(Object.keys(line.properties!).sort(), ['expected_quantity', 'return_cause', 'sku'])
  const cause = line.properties!.return_cause!
  assert.deepEqual([cause.required, Object.keys(cause.properties!).sort()], [['code'], ['code', 'return_reason']])
  assert.deepEqual(cause.properties!.return_reason!.type, ['string', 'null'])
})

test("what the published base of a write does not have is told as the integration's own", async () => {
  const { write_operations } = (await call('GET', '/integrations/wms/sandbox')).body.data[0]
  const operation = write_operations.find(({ action }: { action: string }) => action === 'create_return')
  assert.deepEqual(operation.required_base_schema_fields.sort(), ['line_items', 'line_items.sku', 'order_id'])
  assert.deepEqual(operation.optional_base_schema_fields.sort(), ['service_tags', 'warehouse_id'])
  const { properties, required_fields } = operation.integration_specific_fields
  assert.deepEqual(Object.keys(properties).sort(), [
    'line_items.expected_quantity',
    'line_items.return_cause',
    'line_items.return_cause.code',
    'line_items.return_cause.return_reason',
    'return_number',
    'tracking_number',
    'tracking_url',
  ])
  assert.deepEqual(required_fields.sort(), [
    'line_items.expected_quantity',
    'line_items.return_cause.code',
    'return_number',
  ])
})

test('attaching a file is documented as it is: binary, up to 20 MiB, an address of the web, answered with success', () => {
  const { file, file_url } = document.components.schemas.AttachFile!.properties! as Record<string, any>
  assert.deepEqual(
    [file.type, file.format, file.contentMediaType, file.maxLength],
    ['string', 'binary', 'application/octet-stream', 20 * 1024 * 1024],
  )
  assert.equal(file_url.format, 'uri')
  const operations = Object.values(document.paths).flatMap((methods) => Object.values<any>(methods))
  const described = (action: string) =>
    operations.find(({ operationId }) => operationId === action).responses[200].description
  assert.match(described('attach_file'), /success/)
  assert.match(described('create_order'), /record as it is after the write/)
})

test('values of a connection are listed with its access token, and named as such without', async () => {
  const general = (await crossdock.call('GET', '/integrations/wms/sandbox/write-info')).body as Document
  const warehouse = (each: Document) => each.components.schemas.CreateInboundShipment!.properties!.warehouse_id!
  const { data } = (await call('GET', '/wms/warehouses')).body
  assert.deepEqual(
    warehouse(document).enum,
    data.map(({ id }: { id: string }) => id),
  )
  assert.equal(warehouse(general).enum, undefined)
  assert.match((warehouse(general) as { description: string }).description, /access token/)
  const wrong = await call('GET', '/integrations/wms/tryton/write-info')
  assert.equal(wrong.status, 422)
  assert.equal((await call('GET', '/integrations/wms/nowhere/write-info')).body.id, 'nowhere')
})

test('what is disabled for a connection is not in its document', async () => {
  /** Resolves when the document no longer has, or has again, what was switched. */
  const disable = async (...disabled_functions: string[]) => {
    assert.equal((await call('PATCH', '/schedules/disabled-functions', { disabled_functions })).status, 200)
    return eventually(async () => {
      const found = (await call('GET', '/integrations/wms/sandbox/write-info')).body as Document
      return 'CreateOrder' in found.components.schemas !== disabled_functions.includes('create_order') && found
    })
  }
  const { paths, components } = await disable('create_order', 'attach_file')
  assert.equal(paths['/wms/orders'], undefined)
  assert.equal(paths['/wms/orders/{order_id}/file'], undefined)
  assert.deepEqual(
    [components.schemas.CreateOrder, components.schemas.AttachFile, 'UpdateOrder' in components.schemas],
    [undefined, undefined, true],
  )
  assert.deepEqual(await disable(), document)
})

test('the description of the integration names the same fields as the document', async () => {
  const { write_operations } = (await call('GET', '/integrations/wms/sandbox')).body.data[0]
  const documented = Object.values(document.paths).flatMap((methods) =>
    Object.values(methods).map(({ operationId }) => operationId),
  )
  assert.deepEqual(write_operations.map(({ action }: { action: string }) => action).sort(), documented.sort())
  const createOrder = write_operations.find(({ action }: { action: string }) => action === 'create_order')
  assert.equal(createOrder.url, 'POST /wms/orders')
  for (const path of ['ship_to_address', 'ship_to_address.city', 'line_items', 'line_items.product_id']) {
    assert.ok(createOrder.required_base_schema_fields.includes(path), path)
  }
  assert.ok(createOrder.optional_base_schema_fields.includes('line_items.unit_price'))
})

const order = (product_id = 'A1001') => make('/wms/orders', anOrder({ line_items: [{ product_id, quantity: 3 }] }))
const sku = 'OUT-TEN-SMA'
const fresh = fc.uuid().map((id) => `SKU-${id}`)
const skus = fc.constantFrom(sku, 'OUT-TEN-MED', 'PET-DOGFOO-CLA')
/** Not what shipments are made of. */
const article = fc.constantFrom('A1002', 'A1003', 'A1019')

const currency = fc.stringMatching(/^[A-Z]{3}$/)

/** What each action needs to be there: the path it is sent to, and values for what it refers to. */
const situations: Record<string, { path(): Promise<string>; known?: Known }> = {
  create_order: {
    path: async () => '/wms/orders',
    known: { 'line_items.product_id': article, invoice_currency_code: currency },
  },
  update_order: {
    path: async () => `/wms/orders/${await order('A1002')}`,
    known: {
      'line_items.product_id': article,
      'line_items.sku': fc.constant('OUT-TEN-MED'),
      invoice_currency_code: currency,
    },
  },
  create_order_shipment: {
    async path() {
      // the other actions take from the same shelves
      await call('PUT', '/wms/inventory/K5001/adjust', {
        quantity: 10,
        adjustment_type: 'increase',
        warehouse_id: 'F1',
      })
      return `/wms/orders/${await order()}/shipments`
    },
    known: {
      warehouse_id: fc.constant('F1'),
      'line_items.sku': fc.constant(sku),
      'line_items.quantity': fc.constant(1),
    },
  },
  create_product: { path: async () => '/wms/products', known: { sku: fresh } },
  update_product: {
    path: async () => `/wms/products/${await make('/wms/products', { sku: crypto.randomUUID(), name: 'P' })}`,
    known: { sku: fresh },
  },
  create_kit: { path: async () => '/wms/kits', known: { sku: fresh, 'inventory_items.sku': skus } },
  update_kit: {
    path: async () =>
      `/wms/kits/${await make('/wms/kits', {
        sku: crypto.randomUUID(),
        name: 'P',
        gtin: '4006381333931',
        measurements: {},
        inventory_items: [{ sku, unit_quantity: 2 }],
      })}`,
    known: { sku: fresh, 'inventory_items.sku': skus },
  },
  create_inbound_shipment: { path: async () => '/wms/inbound-shipments', known: { 'line_items.sku': skus } },
  update_inbound_shipment: {
    path: async () => `/wms/inbound-shipments/${await inbound()}`,
    known: { 'line_items.sku': skus },
  },
  create_receipt: {
    path: async () => `/wms/inbound-shipments/${await inbound()}/receive`,
    known: { 'line_items.sku': skus, warehouse_location_id: fc.constantFrom('F1-B-01', 'F1-P-03') },
  },
  create_return: {
    path: async () => '/wms/returns',
    known: { order_id: fc.constantFrom('O100001', 'O100002'), 'line_items.sku': skus },
  },
  update_return: {
    path: async () =>
      `/wms/returns/${await make('/wms/returns', {
        return_number: 'P',
        order_id: 'O100001',
        line_items: [{ sku, expected_quantity: 1 }],
      })}`,
    known: { order_id: fc.constantFrom('O100001', 'O100002'), 'line_items.sku': skus },
  },
  adjust_inventory: {
    path: async () => '/wms/inventory/K5004/adjust',
    known: { warehouse_id: fc.constant('F1'), location_id: fc.constantFrom('F1-B-01', 'F1-P-03') },
  },
}

const inbound = () =>
  make('/wms/inbound-shipments', {
    supplier: 'Domestic Outdoor Goods Supply',
    purchase_order_number: 'P',
    expected_arrival_date: '2026-12-01T00:00:00Z',
    warehouse_id: 'F1',
    tracking_number: '1Z',
    line_items: [{ sku, expected_quantity: 4 }],
  })

suite('each action', { concurrency: 4 }, () => {
  for (const [action, { path, known = {} }] of Object.entries(situations)) {
    test(`${action} takes exactly the bodies of its document`, async () => {
      const [route, method] = Object.entries(document.paths)
        .flatMap(([route, methods]) =>
          Object.entries(methods).map(([method, { operationId }]) => [route, method, operationId]),
        )
        .find(([, , operationId]) => operationId === action)!
      const reference = Object.values(document.paths[route!]![method!]!.requestBody!.content)[0] as {
        schema: { $ref: string }
      }
      const schema = document.components.schemas[reference.schema.$ref.split('/').at(-1)!]!
      const allows = addFormats.default(new Ajv2020({ strict: false })).compile(schema)
      let taken = 0
      await fc.assert(
        fc.asyncProperty(validBodies(schema, known), fc.nat(), async (body, choice) => {
          assert.ok(allows(body))
          const target = await path()
          const answer = await call(method!.toUpperCase(), target, body)
          // the state of the warehouse may stand against it, its form may not
          if (answer.status === 200) taken++
          else assert.equal(answer.body.origin, 'integration', JSON.stringify(answer.body))
          assert.ok(answer.status < 500, JSON.stringify(answer.body))

          const all = mutants(schema, body)
          const mutant = all[choice % all.length]
          const told = await call(method!.toUpperCase(), target, mutant)
          assert.ok(told.status < 500, JSON.stringify(told.body))
          if (allows(mutant)) assert.ok(told.status === 200 || told.body.origin === 'integration', JSON.stringify(told))
          else assert.deepEqual([told.status, told.body.origin, 'detail' in told.body], [422, 'service', true])
        }),
        { numRuns: runs, endOnFailure: true },
      )
      assert.ok(taken > runs / 4, `only ${taken} of ${runs} were carried out`)
    })
  }
})
