import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sql } from 'kysely'
import { eventually } from '../eventually.fixture.ts'
import { demo, serveDemo } from './demo-server.fixture.ts'
import { openSetting, type Setting, send } from './demo-setting.fixture.ts'

let setting: Setting
let served: Awaited<ReturnType<typeof serveDemo>>
before(async () => {
  setting = await openSetting()
  served = await serveDemo(setting)
})
after(async () => {
  await served?.stop()
  await setting.close()
})

const search = (path: string) => send(served.origin, 'GET', path, { accessToken: null })

/** How many logged reads of the list are found. */
const reads = async (filter = '') =>
  (await search(`/api-logs?request_method=GET${filter}`)).body?.total_count as number | undefined

async function crashDatabase() {
  const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(setting.database.db)
  process.kill(rows[0]!.pid, 'SIGKILL')
  const isUp = () =>
    sql`select 1`.execute(setting.database.db).then(
      () => true,
      () => false,
    )
  do await new Promise((resolve) => setTimeout(resolve, 20))
  while (!(await isUp()))
}

test('after a crash of the database the entries that follow are found by every filter', async () => {
  // what was committed without waiting for the disk would be there within moments, were it not for this
  await sql`alter system set wal_writer_delay = '10s'`.execute(setting.database.db)
  await sql`select pg_reload_conf()`.execute(setting.database.db)
  await send(served.origin, 'GET', '/wms/orders')
  await eventually(async () => (await reads()) === 1)
  await crashDatabase()
  for (let i = 0; i < 5; i++) await send(served.origin, 'GET', '/wms/orders')
  await send(served.origin, 'PUT', '/wms/orders/1')
  const all = (await search('/api-logs?limit=100')).body.data as { request_method: string }[]
  const logged = all.filter(({ request_method }) => request_method === 'GET').length
  assert.ok(logged >= 5)
  assert.equal(await reads(), logged)
  assert.equal(await reads(`&connection_id=${demo.connection.id}`), logged)
  const { data } = (await search('/api-logs/facets')).body
  assert.deepEqual(data.connection_id, [demo.connection.id])
  assert.deepEqual(data.request_path, ['/wms/orders', '/wms/orders/<path_param>'])
})
