import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmodSync, cpSync, existsSync, realpathSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { cleanUp } from '../../server/src/clean-up.fixture.ts'
import { canEnter } from '../../server/src/db/embedded/account.ts'
import { systemFolder } from '../../server/src/db/embedded/placement.ts'
import { makeFolder } from '../../server/src/db/temporary-folder.fixture.ts'
import { freePort } from '../../server/src/free-port.ts'
import { caller } from '../harness/crossdock.ts'
import { repository, runProduct, startProduct } from '../harness/product.ts'

const root = process.getuid?.() === 0 ? {} : { skip: 'needs root' }
const nobody = { uid: 65534, gid: 65534 }

test('npm start from another folder is one command to a healthy service, and one banner tells all', async (t) => {
  const DATA_DIR = await makeFolder(t)
  const product = await startProduct(t, 'start', { through: 'npm', env: { DATA_DIR } })
  assert.equal((await product.call('GET', '/health')).status, 200)
  const banner = product.output()
  assert.match(product.url, /^http:\/\/127\.0\.0\.1:[1-9]\d*$/)
  assert.ok(banner.includes(`API reference        ${product.url}/docs`))
  assert.match(product.apiKey, /^sk_/)
  assert.equal(banner.split('Crossdock listens at').length, 2)
  const curl = /curl .*/.exec(banner)![0]
  const answer = JSON.parse(execFileSync('/bin/sh', ['-c', curl], { stdio: ['ignore', 'pipe', 'ignore'] }).toString())
  assert.match(answer.access_token, /^at_/)
  const { body } = await product.call('POST', '/magic-links')
  assert.ok(body.magic_link.url.startsWith(`${product.url}/link/`))
  assert.deepEqual((await product.call('GET', '/openapi.json')).body.servers, [{ url: product.url }])
})

test('the generated API key is shown at the first start only, stays good, and is all that the later banner needs', async (t) => {
  const DATA_DIR = await makeFolder(t)
  const first = await startProduct(t, 'start', { env: { DATA_DIR } })
  first.child.kill('SIGTERM')
  assert.equal(await first.exited, 0)
  const second = await startProduct(t, 'start', { env: { DATA_DIR } })
  assert.equal(second.apiKey, '')
  assert.ok(!second.output().includes(first.apiKey))
  const curl = /curl .*/.exec(second.output())![0]
  const env = { ...process.env, API_KEY: first.apiKey }
  const printed = execFileSync('/bin/sh', ['-c', curl], { env, stdio: ['ignore', 'pipe', 'ignore'] }).toString()
  assert.match(JSON.parse(printed).access_token, /^at_/)
  const answer = await second.call('GET', '/connections', { headers: { 'x-service-api-key': first.apiKey } })
  assert.equal(answer.status, 200)
})

test('a public address is what the banner and links show, and an API key that was given is shown nowhere', async (t) => {
  const env = { DATA_DIR: await makeFolder(t), PUBLIC_URL: 'https://crossdock.example/' }
  const BOOTSTRAP_API_KEY = 'sk_given_by_the_operator'
  const PORT = String(await freePort())
  const product = runProduct(t, 'start', { env: { ...env, PORT, BOOTSTRAP_API_KEY } })
  await product.says('curl -X POST')
  assert.match(product.output(), /listens at https:\/\/crossdock\.example\n/)
  assert.ok(!product.output().includes(BOOTSTRAP_API_KEY))
  const { status, body } = await caller(`http://127.0.0.1:${PORT}`, BOOTSTRAP_API_KEY)('POST', '/magic-links')
  assert.equal(status, 200)
  assert.match(body.magic_link.url, /^https:\/\/crossdock\.example\/link\//)
})

test('npm start works for a normal user in a copy of the repository', root, async (t) => {
  const copy = await copyRepository(t, nobody)
  const env = { HOME: copy, npm_config_cache: join(copy, '.npm') }
  const product = await startProduct(t, 'start', { through: 'npm', copy, cwd: copy, env, ...nobody })
  assert.equal((await product.call('GET', '/health')).status, 200)
  assert.equal(statSync(join(copy, '.data', 'postgres')).uid, nobody.uid)
  product.child.kill('SIGTERM')
  assert.equal(await product.exited, 0)
})

test('npm start works for root in a folder that only root can enter', root, async (t) => {
  const copy = await copyRepository(t)
  chmodSync(copy, 0o700)
  const product = await startProduct(t, 'start', { through: 'npm', copy, cwd: copy })
  assert.equal((await product.call('GET', '/health')).status, 200)
  const cluster = realpathSync(join(copy, '.data', 'postgres'))
  cleanUp(t, () => rmSync(dirname(cluster), { recursive: true }))
  assert.ok(cluster.startsWith(`${systemFolder}/`))
  product.child.kill('SIGTERM')
  assert.equal(await product.exited, 0)
})

test('a second start on the same data is refused in words, and the first is unharmed', async (t) => {
  const DATA_DIR = await makeFolder(t)
  const first = await startProduct(t, 'start', { env: { DATA_DIR } })
  const second = runProduct(t, 'start', { through: 'npm', env: { DATA_DIR } })
  assert.equal(await second.exited, 1)
  assert.match(second.output(), new RegExp(`${DATA_DIR} is already in use by process ${first.child.pid}`))
  assertNoStack(second.output())
  assert.equal((await first.call('GET', '/health')).status, 200)
})

test('all faults of the configuration are told together, by variable', async (t) => {
  const env = { DATABASE_URL: 'postgres://127.0.0.1/x', PORT: 'http', LOG_LEVEL: 'loud', ENCRYPTION_KEY: 'short' }
  const product = runProduct(t, 'start', { env })
  assert.equal(await product.exited, 1)
  const lines = product.output().trim().split('\n')
  assert.deepEqual(lines.map((line) => line.split(' ', 1)[0]).sort(), [
    'ENCRYPTION_KEY',
    'LOG_LEVEL',
    'OPERATOR_KEY',
    'PORT',
  ])
})

test('a port that is taken, a database that is not there and a command that does not exist are told in words', async (t) => {
  const first = await startProduct(t, 'start', { env: { DATA_DIR: await makeFolder(t) } })
  const PORT = new URL(first.url).port
  const second = runProduct(t, 'start', { env: { DATA_DIR: await makeFolder(t), PORT } })
  const ours = { ENCRYPTION_KEY: randomBytes(32).toString('base64'), OPERATOR_KEY: 'operator of this test' }
  const DATABASE_URL = `postgres://me:hidden@localhost:${await freePort()}/none`
  const third = runProduct(t, 'start', { env: { ...ours, DATABASE_URL } })
  const fourth = runProduct(t, 'strat')
  assert.deepEqual([await second.exited, await third.exited, await fourth.exited], [1, 1, 1])
  assert.equal(second.output(), `PORT ${PORT} is taken: something else listens at 127.0.0.1:${PORT}\n`)
  assert.match(third.output(), /The database cannot be reached: .*ECONNREFUSED/)
  assert.ok(!third.output().includes('hidden'))
  assert.match(fourth.output(), /There is no command strat; there are start, api, worker, migrate/)
  for (const { output } of [second, third, fourth]) assertNoStack(output())
})

test('a host that is not of this machine, or that nothing is known of, is told by its variable', async (t) => {
  const fixed = String(await freePort())
  for (const PORT of ['0', fixed]) {
    for (const [HOST, fault] of [
      // of a network that is kept for examples
      ['192.0.2.1', 'is not an address of this machine'],
      ['nowhere.invalid', 'cannot be resolved'],
    ] as const) {
      const product = runProduct(t, 'start', { env: { DATA_DIR: await makeFolder(t), HOST, PORT } })
      assert.equal(await product.exited, 1)
      assert.equal(product.output(), `HOST ${HOST} ${fault}\n`)
    }
  }
})

/** What the repository holds, without its history and its data; what npm installed is linked where it can be reached. */
async function copyRepository(t: TestContext, owner?: { uid: number; gid: number }): Promise<string> {
  const copy = await makeFolder(t, owner)
  const left = ['.git', '.data', 'node_modules', 'bench']
  cpSync(repository, copy, { recursive: true, filter: (source) => !left.includes(basename(source)) })
  const modules = join(repository, 'node_modules')
  if (!owner || (await canEnter(owner, modules))) symlinkSync(modules, join(copy, 'node_modules'))
  else execFileSync('cp', ['-a', modules, join(copy, 'node_modules')])
  assert.ok(existsSync(join(copy, 'package.json')))
  return copy
}

function assertNoStack(output: string) {
  assert.doesNotMatch(output, /^ +at .*:\d+/m)
}
