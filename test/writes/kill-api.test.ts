import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes, randomInt } from 'node:crypto'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { startEmbeddedPostgres } from '../../server/src/db/embedded.ts'
import { temporaryFolder } from '../../server/src/db/temporary-folder.fixture.ts'
import { anOrder } from '../harness/an-order.ts'
import { type Answer, caller } from '../harness/crossdock.ts'

/** The same with 500 keys and 12 kills takes minutes. */
const keys = 40
const postsPerKey = 20
const keysAtOnce = 10
const kills = 2

const main = fileURLToPath(new URL('../../server/src/main.ts', import.meta.url))

test('however the API is killed, a key makes one order, and every answer to it is the same', async (t) => {
  const dataDir = await temporaryFolder('kill')
  t.after(() => rm(dataDir, { recursive: true, force: true }))
  const postgres = await startEmbeddedPostgres({ dataDir })
  t.after(postgres.stop)
  const apiKey = `sk_${randomBytes(16).toString('hex')}`
  const env = {
    ...process.env,
    DATABASE_URL: postgres.url,
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    OPERATOR_KEY: randomBytes(16).toString('hex'),
    BOOTSTRAP_API_KEY: apiKey,
    RATE_LIMIT_READ_PER_SECOND: '0',
    RATE_LIMIT_WRITE_PER_SECOND: '0',
    LOG_LEVEL: 'fatal',
  }
  const apis = [await startApi(env), await startApi(env)]
  t.after(() => Promise.all(apis.map(({ child }) => kill(child))))

  const call = (url: string) => caller(url, apiKey)
  const { access_token: token } = (await call(apis[0]!.url)('POST', '/sandbox/generate-sandbox/wms')).body
  const body = (order_number: string) => {
    const product_id = `A${1001 + (Number(order_number.slice(4)) % 18)}`
    return anOrder({ order_number, line_items: [{ product_id, quantity: 1 }] })
  }

  /** Sends until there is an answer that is not to come again. */
  async function post(key: string): Promise<Answer> {
    while (true) {
      const { url } = apis[randomInt(apis.length)]!
      const answer = await call(url)('POST', '/wms/orders', {
        token,
        body: body(key),
        headers: { 'idempotency-key': key },
      }).catch(() => null)
      if (answer && answer.status !== 409 && answer.status < 500) return answer
      if (answer?.status === 409) assert.match(answer.body.error, /still running/)
      await pause(50)
    }
  }

  let done = 0
  const waiting = Array.from({ length: keys }, (_, index) => `key-${index}`)
  const answers = new Map<string, Answer[]>()
  const client = async () => {
    for (let key = waiting.shift(); key !== undefined; key = waiting.shift()) {
      answers.set(key, await Promise.all(Array.from({ length: postsPerKey }, () => post(key!))))
      done++
    }
  }
  const killer = async () => {
    for (let count = 1; count <= kills; count++) {
      while (done < (count * keys) / (kills + 1)) await pause(5)
      await pause(randomInt(100))
      const victim = randomInt(apis.length)
      await kill(apis[victim]!.child)
      apis[victim] = await startApi(env)
    }
  }
  await Promise.all([...Array.from({ length: keysAtOnce }, client), killer()])

  for (const [key, [first, ...rest]] of answers) {
    assert.equal(first!.status, 200, `${key}: ${JSON.stringify(first!.body)}`)
    for (const answer of rest) assert.deepEqual([answer.status, answer.body.id], [200, first!.body.id])
    const fresh = [first!, ...rest].filter(({ headers }) => headers.get('idempotent-replayed') === null)
    assert.ok(fresh.length <= 1, `${key} was answered ${fresh.length} times as new`)
    const other = await call(apis[0]!.url)('POST', '/wms/orders', {
      token,
      body: body('key-other'),
      headers: { 'idempotency-key': key },
    })
    assert.equal(other.status, 400)
  }
  const numbers = (await ordersBehind(call(apis[0]!.url), token)).filter((number) => number.startsWith('key-'))
  assert.deepEqual(numbers.sort(), [...answers.keys()].sort())
})

async function startApi(env: NodeJS.ProcessEnv): Promise<{ url: string; child: ChildProcess }> {
  const child = spawn(process.execPath, [main, 'api'], {
    env: { ...env, PORT: '0', HOST: '127.0.0.1' },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  let said = ''
  child.stdout!.on('data', (chunk) => (said += chunk))
  const ended = once(child, 'exit').then(() => assert.fail('the API ended'))
  while (!said.includes('curl')) await Promise.race([once(child.stdout!, 'data'), ended])
  ended.catch(() => {})
  return { url: /listens at (\S+)/.exec(said)![1]!, child }
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = once(child, 'exit')
  child.kill('SIGKILL')
  await gone
}

/** Numbers of all orders in the warehouse, past our own records. */
async function ordersBehind(call: ReturnType<typeof caller>, token: string): Promise<string[]> {
  const numbers: string[] = []
  for (let after: string | null = ''; after !== null; ) {
    const params: Record<string, string> = after ? { after } : {}
    const { body } = await call('POST', '/wms/passthrough', {
      token,
      body: { method: 'GET', path: '/v1/orders', params },
    })
    numbers.push(...body.body.items.map((order: { number: string }) => order.number))
    after = body.body.next
  }
  return numbers
}
