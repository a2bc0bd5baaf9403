import { existsSync } from 'node:fs'
import { mkdtemp, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import packed from '@sparticuz/chromium'
import { type Browser, chromium } from 'playwright-core'

/**
 * Starts the Chromium that comes through npm. The package's own switches are left out: they turn off what keeps origins
 * apart.
 */
export async function launchChromium(): Promise<Browser> {
  const args = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--font-render-hinting=none']
  return chromium.launch({ executablePath: await unpacked(), args })
}

/** Unpacked once per machine; of two processes that do it at once one throws its own away. */
async function unpacked(): Promise<string> {
  const home = join(tmpdir(), 'crossdock-chromium')
  const executable = join(home, 'chromium')
  if (existsSync(executable)) return executable
  const own = await mkdtemp(`${home}-`)
  const { TMPDIR } = process.env
  process.env.TMPDIR = own
  await packed.executablePath()
  if (TMPDIR === undefined) delete process.env.TMPDIR
  else process.env.TMPDIR = TMPDIR
  await rename(own, home).catch(() => rm(own, { recursive: true }))
  return executable
}
