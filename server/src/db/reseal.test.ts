import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { Writable } from 'node:stream'
import { test } from 'node:test'
import { sql } from 'kysely'
import { pino } from 'pino'
import { eventually } from '../eventually.fixture.ts'
import { Vault } from '../secrets.ts'
import { startEmbeddedPostgres } from './embedded.ts'
import { openDatabase } from './open.ts'
import { keepResealing, requireKeys } from './reseal.ts'
import { temporaryFolder } from './temporary-folder.fixture.ts'

test('what a process not yet restarted still seals with the old key is sealed anew as well, also after an error', async (t) => {
  const dataDir = await temporaryFolder('reseal')
  const postgres = await startEmbeddedPostgres({ dataDir })
  const { db, close } = openDatabase(postgres.url, 3)
  const stopping = new AbortController()
  t.after(async () => {
    await close()
    await postgres.stop()
    await rm(dataDir, { recursive: true, force: true })
  })
  await sql`create table letters (id text primary key, sealed bytea not null)`.execute(db)
  const columns = [{ table: 'letters', id: 'id', column: 'sealed', purpose: (id: string) => `letter ${id}` }]
  const [oldKey, newKey] = [randomBytes(32), randomBytes(32)]
  const before = new Vault([oldKey])
  const after = new Vault([newKey])
  const write = (id: string) =>
    sql`insert into letters values (${id}, ${before.seal(`to ${id}`, `letter ${id}`)})`.execute(db)
  const isSealedAnew = () =>
    requireKeys(db, after, columns).then(
      () => true,
      () => false,
    )
  const lines: string[] = []
  const log = pino(new Writable({ write: (line, _, done) => done(void lines.push(String(line)) as never) }))

  await write('first')
  const vault = new Vault([newKey, oldKey])
  const resealing = keepResealing({ db, vault, columns, log, everyMs: 20 }, stopping.signal)
  await eventually(isSealedAnew)
  await sql`alter table letters rename to letters_away`.execute(db)
  await eventually(() => lines.some((line) => line.includes('values not sealed anew')))
  await sql`alter table letters_away rename to letters`.execute(db)
  await write('second')
  await eventually(isSealedAnew)
  stopping.abort()
  await resealing

  const { rows } = await sql<{ id: string; sealed: Buffer }>`select id, sealed from letters order by id`.execute(db)
  assert.deepEqual(
    rows.map(({ id, sealed }) => after.open(sealed, `letter ${id}`)),
    ['to first', 'to second'],
  )
  assert.equal(lines.filter((line) => line.includes('values sealed anew with the current key')).length, 2)
})
