import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { TrytonClient } from './tryton-client.ts'
import type { Seeded } from './tryton-seed.ts'
import { adminPassword, readSeeded, seededTemplate } from './tryton-template.ts'
import { databaseFile, databaseName, launchTrytond } from './trytond-process.ts'

/**
 * Starts a real Tryton on a fresh copy of the seeded database, on a free loopback port: about two seconds, or the time
 * to create and seed the database where no test has done so on this machine.
 */
export async function startTryton(): Promise<TrytonServer> {
  const template = await seededTemplate()
  const folder = await mkdtemp(join(tmpdir(), 'crossdock-tryton-'))
  await copyFile(databaseFile(template), databaseFile(folder))
  let server = await launchTrytond(folder)
  const { url } = server
  return {
    url,
    database: databaseName,
    admin: await new TrytonClient(url, databaseName).login('admin', adminPassword),
    seeded: await readSeeded(template),
    async restart() {
      await server.stop()
      server = await launchTrytond(folder, Number(new URL(url).port))
    },
    async stop() {
      await server.stop()
      await rm(folder, { recursive: true })
    },
  }
}

export type TrytonServer = {
  url: string
  database: string
  /** Logged in as the administrator of everything. */
  admin: TrytonClient
  seeded: Seeded
  /** Kills the server and starts it again on the same address and data; sessions stay valid. */
  restart(): Promise<void>
  stop(): Promise<void>
}
