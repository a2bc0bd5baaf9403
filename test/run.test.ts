import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

const pure = 'server/src/integrations/tryton/judge.test.ts'
const real = 'test/integrations/tryton/reads.test.ts'

test('tests that need no Tryton server are run without one, and nothing is installed for them', async (t) => {
  const { status, stdout, installed } = await runWithoutTryton(t, pure)
  assert.equal(status, 0, stdout)
  assert.match(stdout, /pass [1-9]/)
  assert.doesNotMatch(stdout, /Left out/)
  assert.equal(installed, '')
})

test('where Tryton cannot be had, its tests alone are left out with a word', async (t) => {
  const { status, stdout } = await runWithoutTryton(t, pure, real)
  assert.equal(status, 0, stdout)
  assert.match(stdout, /pass [1-9]/)
  assert.deepEqual(/^Left out.*\n((?: {2}.*\n)*)/m.exec(stdout)?.[1], `  ${real}\n`)
  assert.equal((await runWithoutTryton(t, real)).status, 0)
})

/** On a machine that has neither Tryton nor a package source. */
async function runWithoutTryton(t: { after(undo: () => unknown): void }, ...files: string[]) {
  const commands = await mkdtemp(join(tmpdir(), 'crossdock-run-'))
  t.after(() => rm(commands, { recursive: true }))
  const asked = join(commands, 'asked')
  const failing = `#!/bin/sh\necho "$@" >> ${asked}\nexit 1\n`
  await writeFile(join(commands, 'apt-get'), failing, { mode: 0o755 })
  // of a run within a test, node skips the files
  const { NODE_TEST_CONTEXT: _, CI: __, ...env } = process.env
  const { status, stdout } = spawnSync(process.execPath, ['test/run.ts', ...files], {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    env: { ...env, PATH: commands },
    encoding: 'utf8',
    timeout: 60_000,
  })
  return { status, stdout, installed: existsSync(asked) ? await readFile(asked, 'utf8') : '' }
}
