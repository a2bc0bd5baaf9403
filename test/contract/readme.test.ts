import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { readFile, rm } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { temporaryFolder } from '../../server/src/db/temporary-folder.fixture.ts'
import { startTestCrossdock } from '../harness/crossdock.ts'

/** The tour: every `$ command` of the README's console blocks, with the output it shows below. `…` stands for anything. */
async function readTour() {
  const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8')
  const blocks = [...readme.matchAll(/```console\n(.*?)```/gs)].map((match) => match[1]!)
  return blocks.flatMap((block) =>
    block
      .split(/^\$ /m)
      .slice(1)
      .map((step) => {
        const [command, ...output] = step.trimEnd().split('\n')
        return { command: command!, output: output.join('\n') }
      }),
  )
}

const asPattern = (output: string) =>
  new RegExp(
    `^${output
      .split('…')
      .map((part) => RegExp.escape(part))
      .join('[^]*')}$`,
  )

test('the tour of the README, typed as it stands, prints what the README says', async () => {
  const crossdock = await startTestCrossdock({ rateLimit: { readPerSecond: 10, writePerSecond: 50 } })
  const folder = await temporaryFolder('tour')
  try {
    const tour = await readTour()
    assert.ok(tour.length > 10)
    const script = tour.map(({ command }, i) => `echo "<${i}>"; ${command}\necho`).join('\n')
    const shell = spawn(
      'bash',
      ['-c', script.replace('sk_…', crossdock.apiKey).replaceAll('http://127.0.0.1:3000', crossdock.url)],
      {
        cwd: folder,
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    )
    const printed = (await text(shell.stdout)).split(/^<\d+>\n/m).slice(1)
    for (const [i, { command, output }] of tour.entries()) {
      const seen = printed[i]!.trim().replaceAll(crossdock.url, 'http://127.0.0.1:3000')
      assert.match(seen, asPattern(output), `$ ${command}`)
    }
  } finally {
    await crossdock.stop()
    await rm(folder, { recursive: true })
  }
})
