import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { dirname, resolve } from 'node:path'
import type { TestContext } from 'node:test'
import { cleanUp } from '../../server/src/clean-up.fixture.ts'
import { caller, type TestCrossdock } from './crossdock.ts'

export const repository = resolve(import.meta.dirname, '../..')

/** Crossdock as people start it: a process of its own. */
export interface Product {
  child: ChildProcess
  /** What it has written so far. */
  output(): string
  /** Resolves when it has written this. */
  says(text: string): Promise<void>
  /** Its exit code, or the signal that ended it. */
  exited: Promise<number | string>
}

export interface ProductOptions {
  /** `npm` runs the script of package.json, `node` the program itself. */
  through?: 'npm' | 'node'
  env?: Record<string, string>
  cwd?: string
  uid?: number
  gid?: number
  /** Another copy of this repository. */
  copy?: string
}

/** Runs a command of the product; what still runs when the test ends is stopped. */
export function runProduct(t: TestContext, command: string, options: ProductOptions = {}): Product {
  const { through = 'node', env = {}, cwd = '/', copy = repository, uid, gid } = options
  const [program, ...args] =
    through === 'npm'
      ? ['npm', '--prefix', copy, 'run', command]
      : [process.execPath, resolve(copy, 'server/src/main.ts'), command]
  const child = spawn(program!, args, {
    ...(uid !== undefined && { uid, gid: gid! }),
    cwd,
    env: {
      // npm is started as by a shell: without the settings of the npm that runs the tests
      PATH: `${process.env.PATH}:${dirname(process.execPath)}`,
      HOME: process.env.HOME,
      npm_config_update_notifier: 'false',
      LOG_LEVEL: 'warn',
      PORT: '0',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    // a group of its own, so that nothing of it outlives the test
    detached: true,
  })
  let written = ''
  for (const stream of [child.stdout!, child.stderr!]) stream.on('data', (chunk) => (written += chunk))
  const exited = once(child, 'close').then(([code, signal]) => (code ?? signal) as number | string)
  cleanUp(t, async () => {
    try {
      process.kill(-child.pid!, 'SIGTERM')
    } catch {
      // it has ended, as most tests want it
    }
    await exited
  })
  return {
    child,
    exited,
    output: () => written,
    says: (text) =>
      new Promise((done, fail) => {
        const look = () => written.includes(text) && done()
        look()
        child.stdout!.on('data', look)
        child.stderr!.on('data', look)
        void exited.then(() => fail(new Error(`It ended before it said "${text}":\n${written}`)))
      }),
  }
}

/** A product whose API is there. */
export interface ServingProduct extends Product, Pick<TestCrossdock, 'call'> {
  url: string
  apiKey: string
}

/** Starts `start` or `api` and waits for the banner. */
export async function startProduct(
  t: TestContext,
  command: 'start' | 'api',
  options: ProductOptions = {},
): Promise<ServingProduct> {
  const product = runProduct(t, command, options)
  await product.says('curl -X POST')
  const url = /listens at (\S+)/.exec(product.output())![1]!
  const apiKey = /API key +(\S+)/.exec(product.output())?.[1] ?? options.env?.BOOTSTRAP_API_KEY ?? ''
  return { ...product, url, apiKey, call: caller(url, apiKey) }
}
