import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Integration } from '../integrations/define.ts'
import { createRegistry } from '../integrations/registry.ts'
import { type Narrowing, offered } from './offer.ts'

const integration = (name: string, actions: string[], type = 'wms') =>
  ({ name, type, actions: Object.fromEntries(actions.map((action) => [action, {}])) }) as unknown as Integration

const registry = createRegistry([
  integration('acme', ['get_orders', 'get_products']),
  integration('bolt', ['get_orders']),
  integration('sandbox', ['get_orders', 'get_products']),
  integration('cart', ['get_orders'], 'cart'),
])

function names(narrowing: Partial<Narrowing>): string[] {
  const none: Narrowing = { integrationType: 'wms', allowList: [], blockList: [], withEndpoints: [], sandbox: false }
  return offered(registry, { ...none, ...narrowing }).map(({ name }) => name)
}

const cases: [promise: string, narrowing: Partial<Narrowing>, expected: string[]][] = [
  ['everything of the type but the sandbox', {}, ['acme', 'bolt']],
  ['another type', { integrationType: 'cart' }, ['cart']],
  ['a type without integrations', { integrationType: 'erp' }, []],
  ['only allowed ones', { allowList: ['bolt'] }, ['bolt']],
  ['an allow list of another type offers nothing', { allowList: ['cart'] }, []],
  ['all but blocked ones', { blockList: ['bolt'] }, ['acme']],
  ['both lists: everything', { allowList: ['bolt'], blockList: ['bolt'] }, ['acme', 'bolt']],
  [
    'both lists with an endpoint: everything that has it',
    { allowList: ['bolt'], blockList: ['acme'], withEndpoints: ['get_products'] },
    ['acme'],
  ],
  ['those with every endpoint asked for', { withEndpoints: ['get_orders', 'get_products'] }, ['acme']],
  ['an endpoint nobody has', { withEndpoints: ['get_bills'] }, []],
  ['a name of Object.prototype is no endpoint', { withEndpoints: ['toString'] }, []],
  ['endpoint filter and block list together', { withEndpoints: ['get_orders'], blockList: ['acme'] }, ['bolt']],
  ['an allow list does not bring in the sandbox by itself', { allowList: ['sandbox'] }, []],
  ['the sandbox on top', { sandbox: true }, ['acme', 'bolt', 'sandbox']],
  ['the sandbox on top of an allow list', { sandbox: true, allowList: ['bolt'] }, ['bolt', 'sandbox']],
  ['a blocked sandbox', { sandbox: true, blockList: ['sandbox'] }, ['acme', 'bolt']],
  ['no sandbox of a type that has none', { sandbox: true, integrationType: 'cart' }, ['cart']],
]

for (const [promise, narrowing, expected] of cases) {
  test(`offered: ${promise}`, () => assert.deepEqual(names(narrowing), expected))
}
