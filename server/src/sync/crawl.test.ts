import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { eventsOf, ids, passTime, recordsOf, type Stage, scheduleOf, setStage } from './stage.fixture.ts'

let stage: Stage
before(async () => {
  stage = await setStage()
})
after(() => stage.stop())
beforeEach(() => {
  stage.source.before = () => undefined
})

const crawlAgain = async () => {
  await passTime(stage.db)
  await stage.crawlAll()
}

test('the first crawl brings in every record and tells nothing but its completion', async () => {
  stage.source.put('first', 'orders', ids(2500))
  stage.source.put('first', 'products', ids(30))
  const id = await stage.connect('first')
  await stage.crawlAll()
  const orders = await recordsOf(stage.db, id, 'wms/orders')
  assert.deepEqual(
    orders.map((record) => record.id),
    ids(2500),
  )
  assert.equal((await recordsOf(stage.db, id, 'wms/products')).length, 30)
  const events = await eventsOf(stage.db, id)
  assert.deepEqual(events.map((event) => event.type).sort(), [
    'connection.created',
    'connection.historical-sync-completed',
    'connection.historical-sync-completed',
  ])
  const { first_synced_at, running, failures } = await scheduleOf(stage.db, id, 'get_orders')
  assert.ok(first_synced_at)
  assert.deepEqual({ running, failures }, { running: false, failures: 0 })
})

test('a first crawl of records with a history asks for the last 30 days, of others for everything', async () => {
  const id = await stage.connect('window')
  await stage.crawlAll()
  const asked = stage.source.asked.filter(({ account }) => account === 'window')
  const [orders] = asked.filter(({ kind }) => kind === 'orders')
  const days = (Date.parse(orders!.until) - Date.parse(orders!.since!)) / 86_400_000
  assert.equal(days, 30)
  assert.equal(asked.find(({ kind }) => kind === 'products')!.since, null)
  assert.ok((await scheduleOf(stage.db, id, 'get_orders')).first_synced_at)
})

test('a later crawl asks for what changed, writes only that, and tells it', async () => {
  stage.source.put('later', 'orders', ids(300), 'as it was')
  const id = await stage.connect('later', { disabledFunctions: ['get_products'] })
  await stage.crawlAll()
  const first = await recordsOf(stage.db, id, 'wms/orders')
  const { last_crawl_start } = await scheduleOf(stage.db, id, 'get_orders')
  stage.source.put('later', 'orders', ['a0007'], 'changed')
  stage.source.put('later', 'orders', ['b0001'], 'new')
  stage.source.asked.length = 0
  await crawlAgain()

  const asked = stage.source.asked.find(({ account, kind }) => account === 'later' && kind === 'orders')!
  assert.ok(Date.parse(asked.since!) < last_crawl_start!.getTime(), 'it overlaps with the crawl before')
  assert.ok(Date.parse(asked.since!) > last_crawl_start!.getTime() - 3_600_000, 'it does not begin anew')
  const second = await recordsOf(stage.db, id, 'wms/orders')
  const written = second.filter((record) => !first.some((old) => old.id === record.id && old.xmin === record.xmin))
  assert.deepEqual(
    written.map((record) => [record.id, record.body.raw_status]),
    [
      ['a0007', 'changed'],
      ['b0001', 'new'],
    ],
  )
  const changes = (await eventsOf(stage.db, id)).filter((event) => event.type.startsWith('order.'))
  assert.deepEqual(changes.map((event) => [event.type, event.resourceId]).sort(), [
    ['order.created', 'b0001'],
    ['order.updated', 'a0007'],
  ])
  const updated = changes.find((event) => event.type === 'order.updated')!.payload
  assert.equal(updated.previous_attributes.raw_status, 'as it was')
  assert.equal(updated.data.raw_status, 'changed')
})

test('a crawl that finds nothing changed writes no record', async () => {
  stage.source.put('same', 'orders', ids(250))
  stage.source.put('same', 'products', ids(250))
  const id = await stage.connect('same')
  await stage.crawlAll()
  const before = [await recordsOf(stage.db, id, 'wms/orders'), await recordsOf(stage.db, id, 'wms/products')]
  await crawlAgain()
  const after = [await recordsOf(stage.db, id, 'wms/orders'), await recordsOf(stage.db, id, 'wms/products')]
  assert.deepEqual(after, before)
})

test('what a complete snapshot does not show is gone, and comes back when it shows again', async () => {
  stage.source.put('gone', 'products', ids(250))
  const id = await stage.connect('gone')
  await stage.crawlAll()
  stage.source.documents('gone', 'products').delete('a0010')
  await crawlAgain()
  const gone = async () => (await recordsOf(stage.db, id, 'wms/products')).filter((record) => record.deleted)
  assert.deepEqual(
    (await gone()).map((record) => record.id),
    ['a0010'],
  )
  stage.source.put('gone', 'products', ['a0010'])
  await crawlAgain()
  assert.deepEqual(await gone(), [])
})

test('a snapshot that breaks off or leaves a record out marks nothing gone', async () => {
  stage.source.put('partial', 'products', ids(250))
  const id = await stage.connect('partial')
  await stage.crawlAll()
  const gone = async () => (await recordsOf(stage.db, id, 'wms/products')).filter((record) => record.deleted).length
  const documents = stage.source.documents('partial', 'products')
  documents.delete('a0001')
  documents.delete('a0201')

  stage.source.before = ({ account, after }) => (account === 'partial' && after ? 500 : undefined)
  await crawlAgain()
  assert.equal(await gone(), 0)

  stage.source.before = () => undefined
  documents.get('a0150')!.created_at = 'no date'
  await crawlAgain()
  assert.equal(await gone(), 0)

  documents.get('a0150')!.created_at = documents.get('a0002')!.created_at
  await crawlAgain()
  assert.equal(await gone(), 2)
})

test('a record that cannot be read is left out and told; the others come in', async () => {
  stage.source.put('odd', 'orders', ids(120))
  stage.source.documents('odd', 'orders').get('a0005')!.created_at = 'yesterday'
  const id = await stage.connect('odd')
  await stage.crawlAll()
  assert.equal((await recordsOf(stage.db, id, 'wms/orders')).length, 119)
  const told = await stage.db.selectFrom('connection_errors').selectAll().where('connection_id', '=', id).execute()
  assert.deepEqual(
    told.map((error) => error.affected_endpoints),
    [[{ endpoint: 'GET /wms/orders', preventing_sync: false }]],
  )
  assert.match(told[0]!.error_message, /created_date must be an ISO 8601 timestamp/)

  stage.source.put('odd', 'orders', ['a0005'])
  stage.source.documents('odd', 'orders').get('a0005')!.created_at = new Date().toISOString()
  await crawlAgain()
  assert.equal((await recordsOf(stage.db, id, 'wms/orders')).length, 120)
  const open = await stage.db.selectFrom('connection_errors').selectAll().where('connection_id', '=', id).execute()
  assert.deepEqual(open, [])
})

test('a record whose texts hold NUL and halves of characters is kept, with U+FFFD in their place', async () => {
  stage.source.put('nul', 'orders', ['a0001'], 'before\0after \ud83d end \\u0000')
  const id = await stage.connect('nul')
  await stage.crawlAll()
  const [record] = await recordsOf(stage.db, id, 'wms/orders')
  assert.equal(record!.body.raw_status, 'before\ufffdafter \ufffd end \\u0000')
})

test('of two records with one id in a page the last one counts', async () => {
  stage.source.put('twice', 'orders', ['a0001', 'a0002'])
  const documents = stage.source.documents('twice', 'orders')
  const first = documents.get('a0001')!
  first.modified_at = new Date(Date.now() - 2).toISOString()
  documents.set('again', { ...first, note: 'the later one', modified_at: new Date(Date.now() - 1).toISOString() })
  const id = await stage.connect('twice')
  await stage.crawlAll()
  const records = await recordsOf(stage.db, id, 'wms/orders')
  assert.deepEqual(
    records.map((record) => [record.id, record.body.raw_status]),
    [
      ['a0001', 'the later one'],
      ['a0002', null],
    ],
  )
})
