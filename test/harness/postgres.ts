import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Account, findUnprivilegedAccount, runAs } from '../../server/src/db/embedded/account.ts'
import { freePort } from '../../server/src/free-port.ts'

/** A PostgreSQL of the system's own packages, with a cluster that goes with it. */
export interface Postgres {
  url: string
  /** Shuts the server down; its data stay. */
  halt(): Promise<void>
  /** Starts it again under the same address. */
  restart(): Promise<void>
  /** Shuts it down and removes its data. */
  stop(): Promise<void>
}

/**
 * Starts PostgreSQL 15, the oldest that is served, or where that cannot be had any newer one. Where none is installed,
 * root gets it from Debian's or Ubuntu's packages.
 * @returns the reason where there is none to be had; under CI=true that is thrown
 */
export async function startPostgres15(): Promise<Postgres | { reason: string }> {
  const binaries = findBinaries() ?? install()
  if (typeof binaries === 'string') return startCluster(binaries)
  if (process.env.CI === 'true') throw new Error(`PostgreSQL 15 cannot be had: ${binaries.reason}`)
  return binaries
}

const packagedVersions = '/usr/lib/postgresql'
const oldest = 15

/** Of 15 if it is there, else of the next newer version. */
function findBinaries(): string | undefined {
  const versions = existsSync(packagedVersions) ? readdirSync(packagedVersions).map(Number) : []
  const version = versions.filter((each) => each >= oldest).sort((a, b) => a - b)[0]
  return version === undefined ? undefined : join(packagedVersions, String(version), 'bin')
}

function install(): string | { reason: string } {
  if (process.getuid?.() !== 0) return { reason: 'it is not installed, and only root can install it' }
  const apt = (...args: string[]) =>
    spawnSync('apt-get', args, { env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } }).status === 0
  if (!apt('--version')) return { reason: 'it is not installed, and there is no apt-get' }
  apt('update')
  for (const name of [`postgresql-${oldest}`, 'postgresql']) {
    const done = apt('install', '--yes', '--no-install-recommends', name)
    const binaries = findBinaries()
    if (done && binaries) return binaries
  }
  return { reason: 'apt-get cannot install it' }
}

async function startCluster(binaries: string): Promise<Postgres> {
  const account = process.getuid?.() === 0 ? await findUnprivilegedAccount() : undefined
  const folder = await mkdtemp(join(tmpdir(), 'crossdock-postgres-'))
  const cluster = join(folder, 'cluster')
  const password = randomBytes(16).toString('hex')
  const passwordFile = join(folder, 'password')
  await writeFile(passwordFile, password)
  for (const path of account ? [folder, passwordFile] : []) await chown(path, account!.uid, account!.gid)
  await runAs(account, join(binaries, 'initdb'), [
    ...['-D', cluster, '--username=crossdock', `--pwfile=${passwordFile}`, '--auth=scram-sha-256'],
    ...['--encoding=UTF8', '--locale=C', '--no-sync'],
  ])
  const port = await freePort()
  const start = () => startServer(join(binaries, 'postgres'), cluster, port, account)
  let server = await start()
  async function halt() {
    if (server.exitCode !== null || server.signalCode !== null) return
    const exited = once(server, 'exit')
    // fast shutdown: sessions are ended
    server.kill('SIGINT')
    await exited
  }
  return {
    url: `postgresql://crossdock:${password}@127.0.0.1:${port}/postgres`,
    halt,
    async restart() {
      server = await start()
    },
    async stop() {
      await halt()
      await rm(folder, { recursive: true })
    },
  }
}

/** Resolves when the server accepts connections. */
function startServer(
  program: string,
  cluster: string,
  port: number,
  account: Account | undefined,
): Promise<ChildProcess> {
  const settings = [`port=${port}`, 'listen_addresses=127.0.0.1', 'unix_socket_directories=', 'fsync=off']
  const args = ['-D', cluster, ...settings.flatMap((setting) => ['-c', setting])]
  const server = spawn(program, args, { ...account, cwd: '/', stdio: ['ignore', 'ignore', 'pipe'] })
  return new Promise((resolve, reject) => {
    let said = ''
    server.stderr.on('data', (chunk) => {
      said += chunk
      if (said.includes('ready to accept connections')) resolve(server)
    })
    server.once('error', reject)
    server.once('exit', () => reject(new Error(`PostgreSQL did not start: ${said}`)))
  })
}
