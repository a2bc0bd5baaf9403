import fastify from 'fastify'
import pg from 'pg'
import { startCrossdock } from '../../server/src/app.ts'
import { readConfig } from '../../server/src/config.ts'
import { openDatabase } from '../../server/src/db/open.ts'
import { encryptionKey } from './seed.ts'

/** Serves `crossdock` or the `bare` routes it is compared with, in a process of its own. Counts its statements. */
const [which, databaseUrl] = process.argv.slice(2)
const statements = { all: 0, writes: 0 }
const { query } = pg.Client.prototype
// biome-ignore lint/suspicious/noExplicitAny: pg declares twelve overloads of query
pg.Client.prototype.query = function (this: pg.Client, ...given: any[]): any {
  const text = typeof given[0] === 'string' ? given[0] : given[0].text
  statements.all++
  if (/^\s*(insert|update|delete|with)\b/i.test(text)) statements.writes++
  return query.apply(this, given as never)
} as never

process.on('message', () => process.send!(statements))
process.send!(which === 'bare' ? await serveBare() : await serveCrossdock())

async function serveCrossdock() {
  const config = readConfig({
    PORT: '0',
    DATABASE_URL: databaseUrl,
    ENCRYPTION_KEY: encryptionKey.toString('base64'),
    OPERATOR_KEY: 'the operator of this bench',
    RATE_LIMIT_READ_PER_SECOND: '0',
    LOG_LEVEL: 'warn',
  })
  return (await startCrossdock(config, ['api'])).address
}

/** The least a route over PostgreSQL can do: one prepared SELECT, whose text is sent as it is. */
async function serveBare() {
  const app = fastify()
  const { pool } = openDatabase(databaseUrl!, 20)
  app.get('/:name', async (request, reply) => {
    const { name } = request.params as { name: string }
    const { rows } = await pool.query('select body from bench_answers where name = $1', [name])
    return reply.type('application/json; charset=utf-8').send(rows[0].body)
  })
  return app.listen({ host: '127.0.0.1', port: 0 })
}
