import { rm } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import { startEmbeddedPostgres } from '../server/src/db/embedded.ts'
import { migrate } from '../server/src/db/migrate.ts'
import { type Database, openDatabase } from '../server/src/db/open.ts'
import { temporaryFolder } from '../server/src/db/temporary-folder.fixture.ts'
import { createPostgresLog } from '../server/src/logs/postgres-log.ts'
import { days, loadLog } from './logs/load.ts'
import { timeReading } from './logs/reading.ts'
import { timeRequests } from './logs/requests.ts'
import { timeIngest } from './logs/writing.ts'
import { tell } from './tell.ts'

/**
 * How fast the API log reads and writes, at a tenth of the rows and at all of them.
 * `--rows` (10,000,000), `--runs` of each search (300), `--ingest` entries (100,000), `--seconds` of load per round (3)
 */
const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '10000000' },
    runs: { type: 'string', default: '300' },
    ingest: { type: 'string', default: '100000' },
    seconds: { type: 'string', default: '3' },
  },
})
const rows = Number(values.rows)
const dataDir = await temporaryFolder('bench-logs')
const postgres = await startEmbeddedPostgres({ dataDir })
const database = openDatabase(postgres.url, 8)
const openOn = (opened: Database) =>
  createPostgresLog({ ...opened, log: pino({ level: 'warn' }), metrics: new Registry(), retentionDays: days })
const open = () => openOn(database)
try {
  await migrate(database.db, [])
  const now = new Date()
  const small = await read(rows / 10)
  const large = await read(rows)

  console.log(`\n${'p50 / p99 in ms'.padEnd(48)}${`${rows / 10}`.padStart(16)}${`${rows}`.padStart(18)}   growth`)
  for (const [i, { name, p50, p99, found }] of large.entries()) {
    const before = small[i]!
    const growth = (p50 / before.p50).toFixed(2)
    const [left, right] = [before, { p50, p99 }].map((t) => `${t.p50.toFixed(1)} / ${t.p99.toFixed(1)}`)
    console.log(`${`${name} (${found})`.padEnd(48)}${left!.padStart(16)}${right!.padStart(18)}   ${growth}`)
  }
  tell('logs: worst newest 100, p99 ms', worst('newest 100'), { atMost: 10 })
  tell('logs: worst facets, p99 ms', worst('facets'), { atMost: 60 })
  tell('logs: worst growth of newest 100, p50', growthOf('newest 100'), { atMost: 1.5 })
  tell('logs: worst growth of facets, p50', growthOf('facets'), { atMost: 1.5 })

  const ingest = await timeIngest(database, open, Number(values.ingest), now)
  tell('logs: raw COPY, rows/s', ingest.raw)
  tell('logs: ingest, entries/s', ingest.log)
  tell('logs: ingest, ratio to raw COPY', ingest.log / ingest.raw, { atLeast: 0.5 })

  for (const { path, on, off } of await timeRequests(openOn, Number(values.seconds))) {
    tell(`logs: GET ${path} without the log, requests/s`, off)
    tell(`logs: GET ${path} with the log, requests/s`, on)
    tell(`logs: GET ${path}, ratio of with to without`, on / off, { atLeast: 0.9 })
  }

  function worst(kind: string) {
    return Math.max(...large.filter(({ name }) => name.startsWith(kind)).map(({ p99 }) => p99))
  }

  function growthOf(kind: string) {
    const grown = large.flatMap(({ name, p50, found }, i) => {
      const before = small[i]!
      // of a rare status the smaller log has not a page full; below half a millisecond it is the clock that grows
      return name.startsWith(kind) && found === before.found && p50 > 0.5 ? p50 / before.p50 : []
    })
    return Math.max(...grown)
  }

  async function read(count: number) {
    const start = performance.now()
    await loadLog(database, count, now)
    console.log(`${count} rows loaded in ${((performance.now() - start) / 1000).toFixed(0)} s`)
    return timeReading(open(), now, days, Number(values.runs))
  }
} finally {
  await database.close()
  await postgres.stop()
  await rm(dataDir, { recursive: true, force: true })
}
