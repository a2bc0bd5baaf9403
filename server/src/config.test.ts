import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { ConfigError, readConfig } from './config.ts'
import { hashSecret } from './secrets.ts'

const root = mkdtempSync(join(tmpdir(), 'crossdock-config-'))
after(() => rmSync(root, { recursive: true }))
const folder = () => mkdtempSync(join(root, 'data-'))
const base64Key = () => randomBytes(32).toString('base64')

function faultsOf(env: NodeJS.ProcessEnv): string[] {
  try {
    readConfig({ DATA_DIR: folder(), ...env })
  } catch (error) {
    if (error instanceof ConfigError) return error.faults
    throw error
  }
  return []
}

test('an empty environment gives the documented defaults', () => {
  const DATA_DIR = folder()
  const { encryptionKeys, operatorKeyHash, ...config } = readConfig({ DATA_DIR })
  assert.deepEqual(config, {
    host: '127.0.0.1',
    port: 3000,
    publicUrl: 'http://127.0.0.1:3000',
    dataDir: DATA_DIR,
    databaseUrl: null,
    bootstrapApiKey: null,
    rateLimit: { readPerSecond: 10, writePerSecond: 50 },
    trustedProxies: [],
    allowPrivateNetwork: false,
    logLevel: 'info',
    logRetentionDays: 180,
  })
  assert.deepEqual(
    encryptionKeys.map((key) => key.length),
    [32],
  )
  assert.equal(operatorKeyHash.length, 32)
})

test('all faults are told at once, each beginning with its variable', () => {
  const faults = faultsOf({
    HOST: 'a b',
    PORT: '70000',
    PUBLIC_URL: 'ftp://example.com',
    DATABASE_URL: 'mysql://localhost',
    ENCRYPTION_KEY: 'short',
    ENCRYPTION_KEYS_OLD: `${base64Key()},alsoshort`,
    OPERATOR_KEY: 'short',
    BOOTSTRAP_API_KEY: 'short',
    RATE_LIMIT_READ_PER_SECOND: '-1',
    RATE_LIMIT_WRITE_PER_SECOND: '1.5',
    TRUSTED_PROXIES: '10.0.0.0/33',
    ALLOW_PRIVATE_NETWORK: 'yes',
    LOG_LEVEL: 'loud',
    LOG_RETENTION_DAYS: '0',
  })
  assert.deepEqual(faults.map((fault) => fault.split(' ', 1)[0]).sort(), [
    'ALLOW_PRIVATE_NETWORK',
    'BOOTSTRAP_API_KEY',
    'DATABASE_URL',
    'ENCRYPTION_KEY',
    'ENCRYPTION_KEYS_OLD',
    'HOST',
    'LOG_LEVEL',
    'LOG_RETENTION_DAYS',
    'OPERATOR_KEY',
    'PORT',
    'PUBLIC_URL',
    'RATE_LIMIT_READ_PER_SECOND',
    'RATE_LIMIT_WRITE_PER_SECOND',
    'TRUSTED_PROXIES',
  ])
})

test('a fault never shows a secret', () => {
  const faults = faultsOf({ ENCRYPTION_KEY: 'my key', OPERATOR_KEY: 'my operator', BOOTSTRAP_API_KEY: 'my api key' })
  assert.equal(faults.length, 3)
  assert.ok(!faults.join().includes('my '))
  assert.ok(!faultsOf({ DATABASE_URL: 'mysql://me:hidden@host' }).join().includes('hidden'))
})

test('a database of your own asks for secrets of your own', () => {
  const DATA_DIR = folder()
  const DATABASE_URL = 'postgresql://localhost/crossdock'
  assert.deepEqual(faultsOf({ DATA_DIR, DATABASE_URL }), [
    'ENCRYPTION_KEY is required with DATABASE_URL',
    'OPERATOR_KEY is required with DATABASE_URL',
  ])
  assert.deepEqual(faultsOf({ DATA_DIR, DATABASE_URL: 'mysql://x', PORT: '99999' }), [
    'PORT must be a whole number from 0 to 65535, not "99999"',
    'DATABASE_URL must be an address starting with postgres:// or postgresql://',
    'ENCRYPTION_KEY is required with DATABASE_URL',
    'OPERATOR_KEY is required with DATABASE_URL',
  ])
  assert.deepEqual(readdirSync(DATA_DIR), [])
  const config = readConfig({ DATA_DIR, DATABASE_URL, ENCRYPTION_KEY: base64Key(), OPERATOR_KEY: 'x'.repeat(16) })
  assert.equal(config.databaseUrl, DATABASE_URL)
  assert.deepEqual(readdirSync(DATA_DIR), [])
})

test('generated secrets are for their owner only and the same at the next start', () => {
  const DATA_DIR = join(folder(), 'made', 'when needed')
  const first = readConfig({ DATA_DIR })
  assert.deepEqual(readdirSync(DATA_DIR).sort(), ['encryption-key', 'operator-key'])
  for (const name of readdirSync(DATA_DIR)) assert.equal(statSync(join(DATA_DIR, name)).mode & 0o777, 0o600)
  const second = readConfig({ DATA_DIR })
  assert.deepEqual(second, first)
  const kept = readFileSync(join(DATA_DIR, 'operator-key'), 'utf8').trim()
  assert.deepEqual(first.operatorKeyHash, hashSecret(kept))
})

test('a secret of the environment wins over the kept one', () => {
  const DATA_DIR = folder()
  readConfig({ DATA_DIR })
  const key = randomBytes(32)
  const old = randomBytes(32)
  const config = readConfig({
    DATA_DIR,
    ENCRYPTION_KEY: key.toString('base64'),
    ENCRYPTION_KEYS_OLD: ` ${old.toString('base64')} ,`,
    OPERATOR_KEY: 'operator of my own',
  })
  assert.deepEqual(config.encryptionKeys, [key, old])
  assert.deepEqual(config.operatorKeyHash, hashSecret('operator of my own'))
})

test('a folder that cannot be written and a kept secret that is spoilt are told', () => {
  const file = join(folder(), 'file')
  writeFileSync(file, '')
  assert.match(faultsOf({ DATA_DIR: file })[0]!, /^DATA_DIR cannot be written: /)
  const spoilt = folder()
  mkdirSync(spoilt, { recursive: true })
  writeFileSync(join(spoilt, 'encryption-key'), '')
  assert.match(faultsOf({ DATA_DIR: spoilt })[0]!, /^ENCRYPTION_KEY must be 32 bytes/)
})

test('proxies are addresses and networks, and each that is neither is told', () => {
  const good = ['127.0.0.1', '10.0.0.0/8', '::1', 'fd00::/8', '::ffff:10.0.0.1']
  const config = readConfig({ DATA_DIR: folder(), TRUSTED_PROXIES: ` ${good.join(' , ')},` })
  assert.deepEqual(config.trustedProxies, good)
  const bad = [
    'proxy.example',
    'loopback',
    '10.0.0',
    '10.0.0.0/0',
    '10.0.0.0/',
    '10.0.0.0/8/8',
    '::/129',
    'fe80::1%eth0',
  ]
  const faults = faultsOf({ TRUSTED_PROXIES: [...good, ...bad].join(',') })
  assert.deepEqual(
    faults,
    bad.map((each) => `TRUSTED_PROXIES must be addresses or networks such as 10.0.0.0/8, not "${each}"`),
  )
})

test('the host is an address or a name, and nothing else', () => {
  const longest = `${'a'.repeat(63)}.`.repeat(3) + 'a'.repeat(61)
  for (const HOST of ['0.0.0.0', '::', '::1', 'localhost', 'api-1.example.', 'crossdock_api', longest]) {
    assert.equal(readConfig({ DATA_DIR: folder(), HOST }).host, HOST)
  }
  const odd = [
    'a b',
    'http://x',
    'x:3000',
    '[::1]',
    '*',
    'a/b',
    '-a',
    'a..b',
    `${longest}a`,
    `${'a'.repeat(64)}.example`,
  ]
  for (const HOST of odd) {
    assert.deepEqual(faultsOf({ HOST }), [`HOST must be an address or a host name, not "${HOST}"`])
  }
})

test('values may be padded, flags in any case, addresses with a slash at the end', () => {
  const env = {
    PORT: ' 8080 ',
    HOST: '::1',
    ALLOW_PRIVATE_NETWORK: 'TRUE',
    RATE_LIMIT_READ_PER_SECOND: '0',
    LOG_LEVEL: '',
  }
  const config = readConfig({ DATA_DIR: folder(), ...env })
  assert.deepEqual([config.port, config.publicUrl], [8080, 'http://[::1]:8080'])
  assert.deepEqual([config.allowPrivateNetwork, config.rateLimit.readPerSecond, config.logLevel], [true, 0, 'info'])
  assert.equal(
    readConfig({ DATA_DIR: folder(), PUBLIC_URL: 'https://x.example/api//' }).publicUrl,
    'https://x.example/api',
  )
})
