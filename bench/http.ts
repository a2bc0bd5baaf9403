import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { sql } from 'kysely'
import { request } from 'undici'
import { startDatabase } from './database.ts'
import { type Load, load } from './http/load.ts'
import { seed } from './http/seed.ts'
import { tell } from './tell.ts'

const rounds = 3
const seconds = 2
const least = 0.5

/** Reading through the API, beside bare routes that do one prepared SELECT and send the same bytes. */
export async function benchHttp(): Promise<void> {
  const database = await startDatabase()
  const children: ChildProcess[] = []
  try {
    const { apiKey, accessToken, connectionId } = await seed(database.db)
    const crossdock = await serve('crossdock')
    const headers = { 'x-service-api-key': apiKey, 'x-service-access-token': accessToken }
    const paths = {
      'GET /connections/{id}': `/connections/${connectionId}`,
      'GET /connections (1,000)': '/connections',
      'GET /wms/orders?limit=100': '/wms/orders?limit=100',
      'GET /wms/orders?limit=1000': '/wms/orders?limit=1000',
    }
    await sql`create table bench_answers (name text primary key, body text)`.execute(database.db)
    for (const [i, path] of Object.values(paths).entries()) {
      const answer = await (await request(crossdock.origin + path, { headers })).body.text()
      await sql`insert into bench_answers values (${String(i)}, ${answer})`.execute(database.db)
    }
    const bare = await serve('bare')
    for (const [i, [name, path]] of Object.entries(paths).entries()) {
      const ours: Load[] = []
      const theirs: Load[] = []
      await load(crossdock.origin, path, headers, 0.5)
      await load(bare.origin, `/${i}`, {}, 0.5)
      const before = await crossdock.statements()
      for (let round = 0; round < rounds; round++) {
        ours.push(await load(crossdock.origin, path, headers, seconds))
        theirs.push(await load(bare.origin, `/${i}`, {}, seconds))
      }
      const after = await crossdock.statements()
      const requests = ours.reduce((sum, each) => sum + each.requests, 0)
      const [best, bestBare] = [bestOf(ours), bestOf(theirs)]
      tell(`${name}: requests/s`, best.perSecond, {
        note: `p50 ${best.p50.toFixed(1)} ms, p99 ${best.p99.toFixed(1)} ms; bare ${bestBare.perSecond.toFixed(0)}/s`,
      })
      tell(`${name}: ratio to the bare route`, best.perSecond / bestBare.perSecond, { atLeast: least })
      tell(`${name}: statements per request`, (after.all - before.all) / requests, { atMost: 2 })
      tell(`${name}: writes per request`, (after.writes - before.writes) / requests, { atMost: 0.1 })
    }
  } finally {
    for (const child of children) child.kill()
    await Promise.all(children.map((child) => child.exitCode ?? child.signalCode ?? once(child, 'exit')))
    await database.stop()
  }

  async function serve(which: 'crossdock' | 'bare') {
    const child = fork(fileURLToPath(new URL('./http/serve.ts', import.meta.url)), [which, database.url])
    children.push(child)
    const [origin] = (await once(child, 'message')) as [string]
    return {
      origin,
      async statements() {
        child.send('count')
        return (await once(child, 'message'))[0] as { all: number; writes: number }
      },
    }
  }
}

const bestOf = (loads: Load[]) => loads.reduce((best, each) => (each.perSecond > best.perSecond ? each : best))

if (import.meta.main) await benchHttp()
