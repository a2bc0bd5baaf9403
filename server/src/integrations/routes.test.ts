import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Door, openDoor } from '../http/door.fixture.ts'
import { orders } from '../resources/wms/orders.ts'
import { credentialsForm, defineIntegration, read, secretField } from './define.ts'
import { createRegistry } from './registry.ts'
import { integrationRoutes } from './routes.ts'
import { sandbox } from './sandbox/index.ts'

const acme = defineIntegration({
  name: 'acme',
  type: 'wms',
  displayName: 'Acme <Warehouse>',
  description: 'For tests.',
  install: credentialsForm({ key: secretField('Key', 'In the settings') }),
  connect: () => ({}),
  account: async () => null,
  actions: {
    get_orders: read(
      orders,
      async () => ({ items: [], next: null }),
      () => ({}) as never,
      { omits: ['scac'] },
    ),
  },
})

let door: Door
before(async () => {
  const registry = createRegistry([acme, sandbox('http://127.0.0.1:1')])
  door = await openDoor({ routes: (app) => integrationRoutes(app, { registry }) })
})
after(() => door.close())

test('an integration tells what it is and which fields it fills', async () => {
  const { status, body } = await door.call('GET', '/integrations/wms/acme')
  assert.equal(status, 200)
  const [{ logo_url, list_operations, ...info }, ...others] = body.data
  assert.deepEqual(others, [])
  assert.deepEqual(info, {
    integration_name: 'acme',
    display_name: 'Acme <Warehouse>',
    install_method: 'input',
    description: 'For tests.',
    write_operations: [],
    available_actions: ['get_orders'],
  })
  assert.match(decodeURIComponent(logo_url), /^data:image\/svg\+xml,<svg .*>AW<\/text><\/svg>$/)
  const [{ action, url, implemented_fields: fields }] = list_operations
  assert.deepEqual([action, url, fields.scac, fields.status], ['get_orders', 'GET /wms/orders', false, true])
  assert.equal(fields.shipments[0].packages[0].line_items[0].sku, true)
})

test('the integrations of a type are listed; a type may have none', async () => {
  const { body } = await door.call('GET', '/integrations/wms')
  assert.deepEqual(
    body.data.map((info: { integration_name: string }) => info.integration_name),
    ['acme', 'sandbox'],
  )
  assert.deepEqual((await door.call('GET', '/integrations/erp')).body, { data: [] })
})

test('an unknown type is 422 at path, an unknown name 404 with it', async () => {
  for (const path of ['/integrations/tms', '/integrations/tms/acme']) {
    const { status, body } = await door.call('GET', path)
    assert.equal(status, 422)
    assert.deepEqual(body.detail, {
      path: { integration_type: ['Must be one of: wms, freight, cart, carrier, erp.'] },
    })
  }
  for (const [type, id] of [
    ['wms', 'unknown'],
    ['cart', 'acme'],
    ['wms', 'constructor'],
  ]) {
    const { status, body } = await door.call('GET', `/integrations/${type}/${id}`)
    assert.deepEqual([status, body], [404, { error: 'Integration not found', origin: 'service', id }])
  }
})
