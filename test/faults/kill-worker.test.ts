import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { sql } from 'kysely'
import { startEmbeddedPostgres } from '../../server/src/db/embedded.ts'
import { migrate } from '../../server/src/db/migrate.ts'
import { openDatabase } from '../../server/src/db/open.ts'
import type { Db } from '../../server/src/db/schema.ts'
import { temporaryFolder } from '../../server/src/db/temporary-folder.fixture.ts'
import { eventually } from '../../server/src/eventually.fixture.ts'
import { resources } from '../../server/src/resources/index.ts'
import { startTestSource, type TestSource } from '../../server/src/sync/source.fixture.ts'
import { ids } from '../../server/src/sync/stage.fixture.ts'
import { insertSchedules, kill, startWorker, type Worker } from './workers.ts'

const leaseSeconds = 1
const workerRounds = 45
const everythingRounds = 6

test('a killed crawl loses nothing and goes on elsewhere', { timeout: 150_000 }, async (t) => {
  const dataDir = await temporaryFolder('kill')
  let postgres = await startEmbeddedPostgres({ dataDir })
  let database = openDatabase(postgres.url, 4)
  await migrate(database.db, resources)
  const source = await startTestSource(25)
  source.before = async () => {
    await wait(Math.random() * 12)
    return undefined
  }
  const connections = await insertSchedules(database.db, {
    connections: 4,
    hosts: 4,
    functions: ['get_orders', 'get_products'],
    everySeconds: 1,
  })
  for (const id of connections) {
    source.put(id, 'orders', ids(500))
    source.put(id, 'products', ids(300))
  }
  const start = () => startWorker(postgres.url, source.origin, leaseSeconds)
  // one starts while others are killed
  let workers: Promise<Worker>[] = [1, 2, 3, 4].map(start)
  t.after(async () => {
    await Promise.all((await Promise.all(workers)).map(kill))
    await source.stop()
    await database.close()
    await postgres.stop()
    await rm(dataDir, { recursive: true })
  })

  for (let round = 1; round <= workerRounds; round++) {
    changeSomething(source, connections, round)
    // the moment is random, but in the middle of a crawl
    await once(sourceAsked(source), 'asked')
    await wait(Math.random() * 60)
    await kill(await workers.shift()!)
    workers.push(start())
    await checkpointsAreNotAhead(database.db, source)
  }
  const restarts: number[] = []
  for (let round = 1; round <= everythingRounds; round++) {
    changeSomething(source, connections, workerRounds + round)
    await once(sourceAsked(source), 'asked')
    await wait(Math.random() * 100)
    const running = await Promise.all(workers)
    await Promise.all([...running.map(kill), killPostgres(dataDir)])
    await database.close()
    await postgres.stop()
    postgres = await startEmbeddedPostgres({ dataDir })
    database = openDatabase(postgres.url, 4)
    await checkpointsAreNotAhead(database.db, source)
    workers = [1, 2, 3].map(start)
    await workers[0]
    restarts.push(Date.now())
  }

  const stoppedChanging = new Date()
  await eventually(async () => (await crawledSince(database.db, stoppedChanging)) === connections.length * 2, 60_000)
  for (const id of connections) {
    assert.deepEqual(await storedNotes(database.db, id, 'orders'), notesOf(source, id, 'orders'))
    assert.deepEqual(await storedNotes(database.db, id, 'products'), notesOf(source, id, 'products'))
  }
  const { rows: twice } = await sql`select connection_id, resource_id from webhook_events
    where event_type = 'order.created' group by 1, 2 having count(*) > 1`.execute(database.db)
  assert.deepEqual(twice, [], 'each new record is told once')
  assert.deepEqual(source.overlaps, [], 'no schedule was crawled twice at once')
  const longestMs = longestSilence(source, restarts)
  t.diagnostic(
    `${workerRounds + everythingRounds} rounds; the longest a schedule stood still: ${longestMs} ms (lease ${leaseSeconds} s)`,
  )
  assert.ok(longestMs < 30_000, 'with a lease of 30 s the crawl goes on within 60 s')
})

/** New, changed and vanished documents, named after the round. */
function changeSomething(source: TestSource, connections: readonly string[], round: number) {
  for (const id of connections) {
    source.put(id, 'orders', [`b${round}`, `a${String(round).padStart(4, '0')}`], `round ${round}`)
    source.put(id, 'products', [`b${round}`], `round ${round}`)
    source.documents(id, 'products').delete(`a${String(round).padStart(4, '0')}`)
  }
}

/** Announces the next request to the source. */
function sourceAsked(source: TestSource): EventTarget {
  const target = new EventTarget()
  const { before } = source
  source.before = (asked) => {
    source.before = before
    target.dispatchEvent(new Event('asked'))
    return before(asked)
  }
  return target
}

/** Whatever lies before a checkpoint is in the data, as the source has it. */
async function checkpointsAreNotAhead(db: Db, source: TestSource) {
  const { rows } = await sql<{ connection: string; kind: string; checkpoint: Kept; notes: Record<string, string> }>`
    select s.connection_id as connection, substr(function_name, 5) as kind, checkpoint,
      (select coalesce(json_object_agg(r.id, coalesce(r.body ->> 'raw_status', r.body ->> 'name'))::text, '{}')::jsonb
        from records r where r.connection_id = s.connection_id and r.resource = 'wms/' || substr(function_name, 5)) as notes
    from schedules s where checkpoint is not null`.execute(db)
  for (const { connection, kind, checkpoint, notes } of rows) {
    for (const document of source.documents(connection, kind).values()) {
      if (kind === 'orders') {
        const reached = checkpoint.cursor ? checkpoint.cursor.split('|')[0]! : checkpoint.until ? '' : checkpoint.since
        if (document.modified_at < reached)
          assert.equal(notes[document.id] ?? null, document.note, `order ${document.id}`)
      } else if (document.id <= (checkpoint.cursor ?? '') && document.modified_at < checkpoint.until!) {
        assert.equal(notes[document.id], document.note ?? document.id, `product ${document.id}`)
      }
    }
  }
}

interface Kept {
  since: string
  until?: string
  cursor?: string
}

/** Ends the server and its sessions as a power cut would. */
async function killPostgres(dataDir: string) {
  const [pid] = (await readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8')).split('\n')
  const sessions = execFileSync('pgrep', ['-P', pid!], { encoding: 'utf8' }).trim().split('\n')
  for (const each of [pid!, ...sessions]) {
    try {
      process.kill(Number(each), 'SIGKILL')
    } catch (error) {
      // a session may have ended meanwhile
      assert.equal((error as NodeJS.ErrnoException).code, 'ESRCH')
    }
  }
}

async function crawledSince(db: Db, instant: Date): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*)::integer as count from schedules
    where last_crawl_start > ${instant} and last_crawl_end > last_crawl_start`.execute(db)
  return rows[0]!.count
}

async function storedNotes(db: Db, id: string, kind: string) {
  const { rows } = await sql<{ id: string; note: string | null }>`
    select id, coalesce(body ->> 'raw_status', body ->> 'name') as note from records
    where connection_id = ${id} and resource = ${`wms/${kind}`} and deleted_at is null`.execute(db)
  return rows.map((row) => [row.id, row.note]).sort()
}

const notesOf = (source: TestSource, id: string, kind: string) =>
  [...source.documents(id, kind).values()]
    .map((document) => [document.id, document.note ?? (kind === 'products' ? document.id : null)])
    .sort()

/** In ms, the longest any schedule was not asked for although it was due every second and somebody could. */
function longestSilence(source: TestSource, restarts: readonly number[]): number {
  const last = new Map<string, number>()
  let longest = 0
  for (const { account, kind, at } of source.asked) {
    const key = `${account}/${kind}`
    const since = Math.max(last.get(key) ?? at, restarts.findLast((restart) => restart <= at) ?? 0)
    longest = Math.max(longest, at - since)
    last.set(key, at)
  }
  return longest
}
