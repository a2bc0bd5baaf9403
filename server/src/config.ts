import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { resolve } from 'node:path'
import { newOperatorKey } from './secrets.ts'

export interface Config {
  host: string
  port: number
  publicUrl: string
  dataDir: string
  /** Null: the embedded database. */
  databaseUrl: string | null
  /** Current first; the others only open what they once sealed. 32 bytes each. */
  encryptionKeys: Buffer[]
  operatorKeyHash: Buffer
  bootstrapApiKey: string | null
  rateLimit: { readPerSecond: number; writePerSecond: number }
  /** Addresses and networks (CIDR) whose word on where a request came from counts. */
  trustedProxies: string[]
  allowPrivateNetwork: boolean
  logLevel: string
  logRetentionDays: number
}

/** Every fault of the configuration, each starting with the variable's name. */
export class ConfigError extends Error {
  readonly faults: string[]
  constructor(faults: string[]) {
    super(faults.join('\n'))
    this.name = 'ConfigError'
    this.faults = faults
  }
}

/**
 * Reads the environment, the only place that does. With the embedded database, missing secrets are generated into
 * `DATA_DIR` (mode 0600) and read from there at the next start.
 * @throws ConfigError with all faults at once
 */
export function readConfig(env: NodeJS.ProcessEnv): Config {
  const faults: string[] = []
  const fault = (name: string, message: string) => void faults.push(`${name} ${message}`)
  const whole = (name: string, fallback: number, min: number, max: number) => {
    const text = env[name]?.trim()
    if (!text) return fallback
    const value = Number(text)
    if (!/^\d+$/.test(text) || value < min || value > max) {
      fault(name, `must be a whole number from ${min} to ${max}, not "${text}"`)
      return fallback
    }
    return value
  }
  const flag = (name: string) => {
    const text = env[name]?.trim().toLowerCase() || 'false'
    if (text !== 'true' && text !== 'false') fault(name, `must be true or false, not "${text}"`)
    return text === 'true'
  }
  const list = (name: string) => (env[name] ?? '').split(',').flatMap((each) => each.trim() || [])
  const address = (name: string, protocols: string[]) => {
    const text = env[name]?.trim()
    if (!text) return null
    const parsed = URL.canParse(text) ? new URL(text) : null
    if (parsed && protocols.includes(parsed.protocol)) return text
    fault(name, `must be an address starting with ${protocols.map((p) => `${p}//`).join(' or ')}`)
    return null
  }

  const host = env.HOST?.trim() || '127.0.0.1'
  if (!isHost(host)) fault('HOST', `must be an address or a host name, not "${host}"`)
  const port = whole('PORT', 3000, 0, 65535)
  const dataDir = resolve(env.DATA_DIR?.trim() || '.data')
  const databaseUrl = address('DATABASE_URL', ['postgres:', 'postgresql:'])
  const publicUrl = address('PUBLIC_URL', ['http:', 'https:'])
  const secret = (name: string, make: () => string) => {
    const given = env[name]?.trim()
    if (given) return given
    if (env.DATABASE_URL?.trim()) {
      fault(name, 'is required with DATABASE_URL')
      return null
    }
    try {
      return keptSecret(dataDir, name.toLowerCase().replaceAll('_', '-'), make)
    } catch (cause) {
      fault('DATA_DIR', `cannot be written: ${(cause as Error).message}`)
      return null
    }
  }
  const encryptionKey = (name: string, text: string) => {
    const key = Buffer.from(text, 'base64')
    if (key.length !== 32) fault(name, 'must be 32 bytes in base64 (openssl rand -base64 32)')
    return key
  }

  const current = secret('ENCRYPTION_KEY', () =>
    Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64'),
  )
  const operatorKey = secret('OPERATOR_KEY', newOperatorKey)
  if (operatorKey !== null && operatorKey.length < 16) fault('OPERATOR_KEY', 'must have at least 16 characters')
  const encryptionKeys = [
    ...(current === null ? [] : [encryptionKey('ENCRYPTION_KEY', current)]),
    ...list('ENCRYPTION_KEYS_OLD').map((key) => encryptionKey('ENCRYPTION_KEYS_OLD', key)),
  ]
  const bootstrapApiKey = env.BOOTSTRAP_API_KEY?.trim() || null
  if (bootstrapApiKey !== null && bootstrapApiKey.length < 16) {
    fault('BOOTSTRAP_API_KEY', 'must have at least 16 characters')
  }
  const trustedProxies = list('TRUSTED_PROXIES')
  for (const each of trustedProxies) {
    if (!isNetwork(each)) fault('TRUSTED_PROXIES', `must be addresses or networks such as 10.0.0.0/8, not "${each}"`)
  }
  const logLevel = env.LOG_LEVEL?.trim() || 'info'
  if (!logLevels.includes(logLevel)) fault('LOG_LEVEL', `must be one of ${logLevels.join(', ')}, not "${logLevel}"`)

  const config: Config = {
    host,
    port,
    publicUrl: (publicUrl ?? `http://${host.includes(':') ? `[${host}]` : host}:${port}`).replace(/\/+$/, ''),
    dataDir,
    databaseUrl,
    encryptionKeys,
    operatorKeyHash: createHash('sha256')
      .update(operatorKey ?? '')
      .digest(),
    bootstrapApiKey,
    rateLimit: {
      readPerSecond: whole('RATE_LIMIT_READ_PER_SECOND', 10, 0, 1_000_000),
      writePerSecond: whole('RATE_LIMIT_WRITE_PER_SECOND', 50, 0, 1_000_000),
    },
    trustedProxies,
    allowPrivateNetwork: flag('ALLOW_PRIVATE_NETWORK'),
    logLevel,
    logRetentionDays: whole('LOG_RETENTION_DAYS', 180, 1, 3650),
  }
  if (faults.length > 0) throw new ConfigError(faults)
  return config
}

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']

/** An address, or a name of up to 253 characters in labels of up to 63. */
const isHost = (text: string): boolean =>
  isIP(text) !== 0 || /^(?=.{1,253}\.?$)(?!-)[\w-]{1,63}(?<!-)(\.(?!-)[\w-]{1,63}(?<!-))*\.?$/.test(text)

/** An address, or a network as address/bits. */
function isNetwork(text: string): boolean {
  const [, address = '', bits] = /^([\da-f.:]+)(?:\/(\d{1,3}))?$/i.exec(text) ?? []
  const most = { 0: 0, 4: 32, 6: 128 }[isIP(address)]!
  const wanted = Number(bits ?? most)
  return wanted >= 1 && wanted <= most
}

function keptSecret(dataDir: string, name: string, make: () => string) {
  mkdirSync(dataDir, { recursive: true })
  const file = resolve(dataDir, name)
  if (!existsSync(file)) writeFileSync(file, `${make()}\n`, { mode: 0o600, flag: 'wx' })
  return readFileSync(file, 'utf8').trim()
}
