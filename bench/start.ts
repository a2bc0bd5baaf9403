import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { temporaryFolder } from '../server/src/db/temporary-folder.fixture.ts'
import { tell } from './tell.ts'

const settleMs = 5000
const root = fileURLToPath(new URL('..', import.meta.url))
const { scripts } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))

/** How long a start takes until `/health` answers 200, and what the idle process weighs. */
export async function benchStart(): Promise<void> {
  const dataDir = await temporaryFolder('bench-start')
  try {
    const first = await start(dataDir)
    tell('start: empty folder, s', first.seconds, { atMost: 8 })
    await stop(first.child)
    const second = await start(dataDir)
    tell('start: existing data, s', second.seconds, { atMost: 3 })
    // what weighs after a while, not what the start left behind
    await wait(settleMs)
    tell('start: idle memory, MB', await residentMb(second.child.pid!), { atMost: 150 })
    await stop(second.child)
  } finally {
    await rm(dataDir, { recursive: true })
  }
}

async function start(dataDir: string) {
  const startedAt = performance.now()
  const child = spawn('sh', ['-c', scripts.start], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      PATH: `${join(root, 'node_modules/.bin')}:${process.env.PATH}`,
      HOME: process.env.HOME,
      DATA_DIR: dataDir,
      PORT: '0',
      LOG_LEVEL: 'warn',
    },
  })
  const origin = await new Promise<string>((resolve, reject) => {
    let said = ''
    child.stdout.on('data', (chunk) => {
      said += chunk
      const banner = /listens at (\S+)\n/.exec(said)
      if (banner) resolve(banner[1]!)
    })
    child.once('exit', () => reject(new Error('The server ended by itself')))
  })
  while (!(await fetch(`${origin}/health`)).ok) await wait(20)
  return { child, seconds: (performance.now() - startedAt) / 1000 }
}

async function stop(child: ChildProcess) {
  child.kill('SIGTERM')
  await once(child, 'exit')
}

async function residentMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+)/.exec(status)![1]) / 1024
}

if (import.meta.main) await benchStart()
