import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { Writable } from 'node:stream'
import { after, before, test } from 'node:test'
import { sql } from 'kysely'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import type { NewEntry } from './api-log.ts'
import { demo } from './demo-server.fixture.ts'
import { openSetting, type Setting, send } from './demo-setting.fixture.ts'
import { createLogWriter, defaultLimits } from './log-writer.ts'
import { createPostgresLog } from './postgres-log.ts'

let setting: Setting
before(async () => {
  setting = await openSetting()
})
after(() => setting.close())

const newEntry = (more: Partial<NewEntry> = {}): NewEntry => ({
  requestId: randomUUID(),
  organizationId: demo.organizationId,
  connection: demo.connection,
  requestTime: new Date(),
  method: 'GET',
  path: '/wms/orders',
  pathParam: null,
  statusCode: 200,
  error: null,
  errorOrigin: null,
  durationMs: 1,
  idempotencyKey: null,
  queryParams: '{}',
  requestBody: null,
  integrationRequestBodies: '[]',
  ...more,
})

function writerOf(limits = {}, write: Parameters<typeof createLogWriter>[0] = async () => {}) {
  const lines: { entries?: number; msg: string }[] = []
  const log = pino(new Writable({ write: (line, _, done) => done(void lines.push(JSON.parse(String(line))) as never) }))
  const metrics = new Registry()
  return { ...createLogWriter(write, log, metrics, { ...defaultLimits, ...limits }), lines, metrics }
}

async function kept(entries: readonly NewEntry[]): Promise<number> {
  const { rows } = await sql<{ count: string }>`
    select count(*) from api_logs where request_id::text = any(${entries.map(({ requestId }) => requestId)})`.execute(
    setting.database.db,
  )
  return Number(rows[0]!.count)
}

test('a killed process has written the entry of every write it answered', { timeout: 120_000 }, async () => {
  for (let round = 0; round < 30; round++) {
    const { origin, process } = await setting.spawn()
    const answered: string[] = []
    const lanes = Array.from({ length: 8 }, async () => {
      while (true) {
        const { id } = await send(origin, 'PUT', '/wms/orders/1')
        if (answered.push(id) === 20 + round * 3) process.kill('SIGKILL')
      }
    })
    await Promise.all([once(process, 'exit'), ...lanes.map((lane) => lane.catch(() => {}))])
    const missing = answered.length - (await kept(answered.map((requestId) => newEntry({ requestId }))))
    assert.equal(missing, 0, `round ${round}`)
  }
})

test('a clean stop writes what was taken', async () => {
  const log = createPostgresLog({
    ...setting.database,
    log: pino({ level: 'silent' }),
    metrics: new Registry(),
    retentionDays: 180,
    limits: { flushMs: 60_000 },
  })
  const entries = Array.from({ length: 3000 }, () => newEntry())
  await Promise.all(entries.map((entry) => log.append(entry, { durable: false })))
  await log.close()
  assert.equal(await kept(entries), 3000)
})

test('a read is readable within a second', async () => {
  const log = createPostgresLog({
    ...setting.database,
    log: pino({ level: 'silent' }),
    metrics: new Registry(),
    retentionDays: 180,
  })
  const entry = newEntry()
  const start = performance.now()
  await log.append(entry, { durable: false })
  while ((await kept([entry])) === 0) assert.ok(performance.now() - start < 1000)
  await log.close()
})

test('one entry the database refuses does not take others with it', async () => {
  const log = createPostgresLog({
    ...setting.database,
    log: pino({ level: 'silent' }),
    metrics: new Registry(),
    retentionDays: 180,
  })
  const entries = [newEntry(), newEntry({ requestBody: '{"broken' }), newEntry(), newEntry()]
  await Promise.all(entries.map((entry) => log.append(entry, { durable: true })))
  assert.equal(await kept(entries), 3)
  await log.close()
})

test('a batch whose answer was lost is not written twice', async () => {
  const log = createPostgresLog({
    ...setting.database,
    log: pino({ level: 'silent' }),
    metrics: new Registry(),
    retentionDays: 180,
  })
  const entries = [newEntry(), newEntry()]
  for (let time = 0; time < 2; time++) await Promise.all(entries.map((entry) => log.append(entry, { durable: true })))
  assert.equal(await kept(entries), 2)
  await log.close()
})

test('under overload entries are dropped, counted and told, and no answer waits', async () => {
  const stuck = Promise.withResolvers<void>()
  const writer = writerOf({ queuedEntries: 10, durableMs: 20 }, () => stuck.promise)
  for (let i = 0; i < 25; i++) await writer.append(newEntry(), { durable: false })
  assert.match(await writer.metrics.metrics(), /crossdock_api_log_dropped_total\{reason="overload"\} 15/)
  assert.equal(writer.lines[0]?.msg, 'API log entries dropped')
  await writer.append(newEntry(), { durable: true })
  assert.match(await writer.metrics.metrics(), /crossdock_api_log_late_total 1/)
  stuck.resolve()
  await writer.close()
})

test('a failing database is tried again', async () => {
  let failures = 3
  const written: NewEntry[] = []
  const writer = writerOf({}, async (batch) => {
    if (failures-- > 0) throw new Error('The database is away')
    written.push(...batch)
  })
  await writer.append(newEntry(), { durable: true })
  assert.equal(written.length, 1)
  await writer.close()
})
