import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { after, before, type TestContext, test } from 'node:test'
import { pino } from 'pino'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../db/embedded.ts'
import { migrate } from '../db/migrate.ts'
import { openDatabase } from '../db/open.ts'
import { temporaryFolder } from '../db/temporary-folder.fixture.ts'
import { errors } from '../errors.ts'
import { eventually } from '../eventually.fixture.ts'
import { createHttpServer } from '../http/server.ts'
import { findCaller } from '../organizations/api-keys.ts'
import { createOrganization } from '../organizations/organizations.ts'
import { Vault } from '../secrets.ts'
import { honourIdempotencyKeys } from './idempotency.ts'

const leaseSeconds = 1
const vault = new Vault([randomBytes(32)])
let dataDir: string
let postgres: EmbeddedPostgres
let apiKey: string

before(async () => {
  dataDir = await temporaryFolder('idempotency')
  postgres = await startEmbeddedPostgres({ dataDir })
  const { db, close } = openDatabase(postgres.url, 1)
  await migrate(db, [])
  apiKey = (await createOrganization(db, 'Test')).api_key
  await close()
})
after(async () => {
  await postgres.stop()
  await rm(dataDir, { recursive: true, force: true })
})

/** A request under way: it goes on when it is told to, and then has its effect or fails. */
interface Running {
  goOn(how: 'perform' | 'fail'): void
}

/** The API as one of several processes, with one connection to their database and a route that works as long as it is let. */
async function startApi(t: TestContext) {
  const { db, close } = openDatabase(postgres.url, 1)
  const started = new EventTarget()
  let performed = 0
  const app = await createHttpServer({
    log: pino({ level: 'silent' }),
    keys: {
      findCaller: (hash) => findCaller(db, hash),
      findConnection: async () => null,
      operatorKeyHash: randomBytes(32),
    },
    rateLimit: { readPerSecond: 0, writePerSecond: 0 },
    publicUrl: 'http://127.0.0.1',
  })
  await honourIdempotencyKeys(app, { db, vault, leaseSeconds })
  app.post('/work', { config: { access: 'key', idempotency: 'recovers' } }, async (request) => {
    const how = await new Promise((goOn) =>
      started.dispatchEvent(new CustomEvent<Running>('running', { detail: { goOn } })),
    )
    if (how === 'fail') throw errors.conflict('It failed')
    request.idempotency!.hold()
    performed++
    return { performed }
  })
  t.after(async () => {
    await app.close()
    await close()
  })
  const post = async (key: string) => {
    const headers = { 'x-service-api-key': apiKey, 'idempotency-key': key }
    const answer = await app.inject({ method: 'POST', url: '/work', headers })
    return { status: answer.statusCode, headers: answer.headers, body: answer.json() }
  }
  return {
    db,
    post,
    performed: () => performed,
    /** Resolves when the request is under way. */
    async begin(key: string) {
      const running = once(started, 'running') as Promise<CustomEvent<Running>[]>
      const answer = post(key)
      const [event] = await Promise.race([running, answer.then(({ body }) => assert.fail(JSON.stringify(body)))])
      return { ...event!.detail, answer }
    },
    /** Keeps it from the database until the returned function is called. */
    async cutOff() {
      const { promise: isBack, resolve: comeBack } = Promise.withResolvers<void>()
      const { promise: isOff, resolve: goOff } = Promise.withResolvers<void>()
      const taken = db.connection().execute(async () => {
        goOff()
        await isBack
      })
      await isOff
      return async () => {
        comeBack()
        await taken
      }
    },
  }
}

type Api = Awaited<ReturnType<typeof startApi>>

const leaseOf = ({ db }: Api, key: string) =>
  db.selectFrom('idempotency_keys').select('lease_until').where('key', '=', key).executeTakeFirst()

/** One process begins, loses the key to another that takes it up, and then renews what it holds again. */
async function lose(t: TestContext, key: string) {
  const [one, other] = [await startApi(t), await startApi(t)]
  const lost = await one.begin(key)
  const comeBack = await one.cutOff()
  await eventually(async () => (await leaseOf(other, key))!.lease_until! <= new Date())
  const takenUp = await other.begin(key)
  await comeBack()
  const later = await one.begin(`after ${key}`)
  const lease = (await leaseOf(other, `after ${key}`))!.lease_until!
  await eventually(async () => (await leaseOf(other, `after ${key}`))!.lease_until! > lease)
  later.goOn('perform')
  assert.equal((await later.answer).status, 200)
  return { one, other, lost, takenUp }
}

test('a request whose process has lost the key to another is 409 before it has its effect', async (t) => {
  const { one, other, lost, takenUp } = await lose(t, 'lost')
  const before = one.performed()
  lost.goOn('perform')
  const { status, body } = await lost.answer
  assert.deepEqual([status, body.error], [409, errors.stillRunning().message])
  assert.equal(one.performed(), before)
  takenUp.goOn('perform')
  assert.deepEqual((await takenUp.answer).body, { performed: 1 })
  const again = await one.post('lost')
  assert.deepEqual([again.headers['idempotent-replayed'], again.body], ['true', { performed: 1 }])
  assert.equal(other.performed(), 1)
})

test('a request that fails after its process has lost the key leaves it to who took it up', async (t) => {
  const { one, lost, takenUp } = await lose(t, 'failed')
  lost.goOn('fail')
  assert.equal((await lost.answer).body.error, 'It failed')
  await assert.rejects(one.begin('failed'), /still running/)
  takenUp.goOn('perform')
  assert.equal((await takenUp.answer).status, 200)
})
