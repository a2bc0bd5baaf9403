import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

/** The account PostgreSQL runs under where we are root, which PostgreSQL refuses; ids as in /etc/passwd. */
export interface Account {
  uid: number
  gid: number
}

/** Finds an account without privileges: `postgres`, else our own `crossdock` (created if possible), else `nobody`. */
export async function findUnprivilegedAccount(): Promise<Account> {
  const account =
    (await lookUp('postgres')) ?? (await lookUp('crossdock')) ?? (await createAccount()) ?? (await lookUp('nobody'))
  if (!account) {
    throw new Error('PostgreSQL refuses to run as root, and there is no account postgres, crossdock or nobody')
  }
  return account
}

/** Runs a program, as `account` where there is one, with an environment free of PG* variables; resolves to its stdout. */
export async function runAs(account: Account | undefined, file: string, args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(file, args, { ...account, cwd: '/', env: cleanEnvironment() })
  return stdout
}

/** What PostgreSQL may see of our environment; the locale is fixed because messages of its log are recognised. */
export function cleanEnvironment(): NodeJS.ProcessEnv {
  return { PATH: `${process.env.PATH ?? ''}:/usr/bin:/bin:/usr/sbin:/sbin`, LC_ALL: 'C' }
}

/** Asks the system itself, which knows access lists and mount options as well as mode bits. */
export async function canEnter(account: Account, folder: string): Promise<boolean> {
  return runAs(account, '/bin/sh', ['-c', 'cd "$1"', 'sh', folder]).then(
    () => true,
    () => false,
  )
}

async function lookUp(name: string): Promise<Account | undefined> {
  try {
    const uid = Number(await runAs(undefined, 'id', ['-u', name]))
    const gid = Number(await runAs(undefined, 'id', ['-g', name]))
    return uid > 0 ? { uid, gid } : undefined
  } catch {
    return undefined
  }
}

async function createAccount(): Promise<Account | undefined> {
  const ways: [string, string[]][] = [
    ['useradd', ['--system', '--user-group', '--no-create-home', '--shell', '/bin/false', 'crossdock']],
    ['adduser', ['-S', '-D', '-H', '-s', '/bin/false', 'crossdock']],
  ]
  for (const [command, args] of ways) {
    await runAs(undefined, command, args).catch(() => undefined)
    const created = await lookUp('crossdock')
    if (created) return created
  }
  return undefined
}
