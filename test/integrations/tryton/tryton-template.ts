import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { copyFile, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { activatedModules, installedVersions } from './install-tryton.ts'
import { TrytonClient } from './tryton-client.ts'
import { type Seeded, seedTryton } from './tryton-seed.ts'
import { databaseFile, databaseName, launchTrytond, writeConfiguration } from './trytond-process.ts'

export const adminPassword = 'crossdock-admin-1'

/** A folder with the seeded database, `seededFile` beside it; made at the first call on a machine, then kept. */
export async function seededTemplate(): Promise<string> {
  return cached('seeded', `${await seedCode()}${fortnight()}`, async (folder) => {
    await copyFile(databaseFile(await emptyTemplate()), databaseFile(folder))
    const server = await launchTrytond(folder)
    try {
      const admin = await new TrytonClient(server.url, databaseName).login('admin', adminPassword)
      await writeFile(seededFile(folder), JSON.stringify(await seedTryton(admin)))
    } finally {
      await server.stop()
    }
  })
}

export async function readSeeded(folder: string): Promise<Seeded> {
  return JSON.parse(await readFile(seededFile(folder), 'utf8')) as Seeded
}

function emptyTemplate(): Promise<string> {
  return cached('template', '', async (folder) => {
    await writeFile(databaseFile(folder), '')
    const passwordFile = join(folder, 'password')
    await writeFile(passwordFile, `${adminPassword}\n`)
    const database = ['-d', databaseName, '--email', 'admin@example.com']
    const modules = ['--activate-dependencies', '-u', ...activatedModules]
    await promisify(execFile)('trytond-admin', ['-c', await writeConfiguration(folder), ...database, ...modules], {
      env: { ...process.env, TRYTONPASSFILE: passwordFile },
    })
  })
}

/**
 * A folder of this name that is complete whenever it exists: built aside, then renamed. Of two processes that build it
 * at once, the later one throws its own away.
 */
async function cached(name: string, ingredients: string, build: (folder: string) => Promise<void>): Promise<string> {
  const hash = createHash('sha256')
    .update(installedVersions())
    .update(activatedModules.join())
    .update(ingredients)
    .digest('hex')
  const folder = join(tmpdir(), `crossdock-tryton-${name}-${hash.slice(0, 16)}`)
  if (existsSync(folder)) return folder
  const draft = await mkdtemp(`${folder}-`)
  try {
    await build(draft)
    await rename(draft, folder)
  } catch (error) {
    await rm(draft, { recursive: true })
    if (!existsSync(folder)) throw error
  }
  return folder
}

const seededFile = (folder: string) => join(folder, 'seeded.json')

async function seedCode(): Promise<string> {
  const files = (await readdir(import.meta.dirname)).filter((file) => file.includes('seed')).sort()
  return (await Promise.all(files.map((file) => readFile(join(import.meta.dirname, file), 'utf8')))).join('')
}

/** A first synchronisation reads some weeks back only, so the seed must not grow older than that. */
const fortnight = () => Math.floor(Date.now() / (14 * 24 * 3600 * 1000))
