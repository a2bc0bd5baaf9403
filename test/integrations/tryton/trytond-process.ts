import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

export const databaseName = 'wms'

/** Where a folder keeps its one database. */
export const databaseFile = (folder: string) => join(folder, `${databaseName}.sqlite`)

/**
 * Starts trytond on the folder's database and resolves once it listens. The kernel ends it together with this process,
 * however this process ends.
 *
 * @returns where it answers, and how to end it; `stop` resolves when the process is gone
 */
export async function launchTrytond(folder: string, port = 0): Promise<Trytond> {
  const configuration = await writeConfiguration(folder, port)
  const command = ['trytond', '--config', configuration, '--database', databaseName]
  const server = spawn('setpriv', ['--pdeathsig', 'KILL', ...command], { stdio: ['ignore', 'ignore', 'pipe'] })
  const exit = once(server, 'exit')
  const lines = createInterface(server.stderr)
  const log: string[] = []
  const url = await new Promise<string>((resolve, reject) => {
    lines.on('line', (line) => {
      log.push(line)
      const listening = line.match(/Running on (http:\/\/127\.0\.0\.1:\d+)/)
      if (listening?.[1]) resolve(listening[1])
    })
    lines.once('close', () => reject(new Error(`trytond did not start:\n${log.join('\n')}`)))
    server.once('error', reject)
  })
  lines.removeAllListeners('line')
  // A test that fails before its `stop` must still be able to end.
  server.unref()
  const pipe = server.stderr as Socket
  pipe.unref()
  return {
    url,
    async stop() {
      server.ref()
      server.kill('SIGKILL')
      await exit
    },
  }
}

export type Trytond = { url: string; stop(): Promise<void> }

/**
 * Writes the configuration file that trytond and trytond-admin take, and returns its path.
 * @param port 0 lets the system choose a free one
 */
export async function writeConfiguration(folder: string, port = 0): Promise<string> {
  const file = join(folder, 'trytond.conf')
  const sections = [
    `[web]\nlisten = 127.0.0.1:${port}`,
    `[database]\nuri = sqlite://\npath = ${folder}`,
    '[session]\ntimeout = 3600',
  ]
  await writeFile(file, `${sections.join('\n')}\n`)
  return file
}
