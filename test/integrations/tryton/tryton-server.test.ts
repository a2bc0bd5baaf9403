import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { ensureTryton } from './install-tryton.ts'
import { inboundShipmentCounts, returnCounts } from './seed-inbound.ts'
import { shipmentCounts } from './seed-shipments.ts'
import { TrytonClient } from './tryton-client.ts'
import { startTryton, type TrytonServer } from './tryton-server.ts'

let tryton: TrytonServer

before(async () => {
  const presence = ensureTryton()
  assert.ok(presence.available, presence.available ? '' : presence.reason)
  tryton = await startTryton()
})

after(() => tryton?.stop())

test('the server holds exactly the records that the seed names', async () => {
  const { admin, seeded } = tryton
  const goods = ['type', '=', 'goods']
  assert.equal(await admin.count('product.product', [goods]), 1000)
  assert.deepEqual(
    await admin.count('product.product', [goods], { active_test: false }),
    seeded.catalogue.activeProductIds.length + seeded.catalogue.inactiveProductIds.length,
  )
  assert.equal(await admin.count('stock.location', [['type', '=', 'warehouse']]), seeded.warehouses.length)
  assert.equal(await admin.count('stock.lot'), seeded.catalogue.lots.length)
  assert.equal(await admin.count('carrier'), seeded.parties.carrierIds.length)
  const shipments = [
    ['stock.shipment.out', shipmentCounts],
    ['stock.shipment.in', inboundShipmentCounts],
    ['stock.shipment.out.return', returnCounts],
  ] as const
  for (const [model, counts] of shipments)
    for (const [state, count] of Object.entries(counts))
      assert.equal(await admin.count(model, [['state', '=', state]]), count, `${model} in state ${state}`)
})

test('a wrong password is refused with 401', async () => {
  const client = new TrytonClient(tryton.url, tryton.database)
  await assert.rejects(client.login('crossdock', 'not-the-password'), { status: 401 })
})

test('the user of a connection can read everything that a connection reads', async () => {
  const { crossdock } = tryton.seeded.users
  const client = await new TrytonClient(tryton.url, tryton.database).login(crossdock.login, crossdock.password)
  const models = ['product.product', 'stock.location', 'stock.lot', 'stock.move', 'stock.package', 'carrier']
  const shipments = ['stock.shipment.out', 'stock.shipment.in', 'stock.shipment.out.return']
  for (const model of [...models, ...shipments, 'party.party', 'party.address', 'company.company'])
    assert.equal((await client.searchRead(model, [], ['rec_name'], { limit: 1 })).length, 1, model)
})

test('a user without stock rights is refused the shipments', async () => {
  const { limited } = tryton.seeded.users
  const client = await new TrytonClient(tryton.url, tryton.database).login(limited.login, limited.password)
  await assert.rejects(client.searchRead('stock.shipment.out', [], ['number']), { status: 200, kind: 'UserError' })
})

test('a restarted server keeps its address, its data and the sessions', async () => {
  const before = await tryton.admin.count('stock.move')
  await tryton.restart()
  assert.equal(await tryton.admin.count('stock.move'), before)
})
