import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anOrder } from '../harness/an-order.ts'
import { startTestCrossdock, syncedSandbox } from '../harness/crossdock.ts'
import { type Postgres, startPostgres15 } from '../harness/postgres.ts'

/** Pairs of an order number and what it is asked by. */
const numbers = [
  ['BÜRO-1', 'büro-1'],
  ['büro-2', 'BÜRO-2'],
  ['ΛΌΓΟΣ 3', 'λόγος 3'],
  ['ЗАКАЗ 4', 'Заказ 4'],
  ['GROẞ 5', 'groß 5'],
  ['PLAIN-6', 'plain-6'],
  ['100%_\\7', '100%_\\7'],
] as const

const databases: [name: string, start: () => Promise<Postgres | { reason: string } | null>][] = [
  ['the PostgreSQL that comes along', async () => null],
  ['PostgreSQL 15', startPostgres15],
]

for (const [name, start] of databases) {
  test(`what is asked for whatever its case is found in letters of any language, by ${name}`, async (t) => {
    const postgres = await start()
    if (postgres && 'reason' in postgres) return t.skip(postgres.reason)
    if (postgres) t.after(() => postgres.stop())
    const crossdock = await startTestCrossdock(postgres ? { databaseUrl: postgres.url } : {})
    t.after(() => crossdock.stop())
    const { token } = await syncedSandbox(crossdock)
    for (const [order_number] of numbers) {
      const { status } = await crossdock.call('POST', '/wms/orders', { token, body: anOrder({ order_number }) })
      assert.equal(status, 200)
    }
    const found = async (operator: string, value: string) => {
      const query = new URLSearchParams({ [`order_number[${operator}]`]: value })
      const { body } = await crossdock.call('GET', `/wms/orders?${query}`, { token })
      return body.data.map((order: { order_number: string }) => order.order_number).sort()
    }
    for (const [number, asked] of numbers) {
      for (const value of [number, asked]) {
        assert.deepEqual(await found('eq-insensitive', value), [number])
        assert.deepEqual(await found('in-insensitive', value), [number])
        assert.deepEqual(await found('contains-insensitive', value.slice(1)), [number])
      }
    }
    const all = numbers.map(([number]) => number).sort()
    assert.deepEqual(await found('in-insensitive', numbers.map(([, asked]) => asked).join(',')), all)
    assert.deepEqual(await found('eq', 'büro-1'), [])
  })
}
