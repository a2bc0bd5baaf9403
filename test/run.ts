import { spawnSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { ensureTryton } from './integrations/tryton/install-tryton.ts'

/**
 * Runs every test there is, or those that are named. Tests that need a third-party server which cannot be had here are
 * left out with a word; under CI=true that is a failure.
 */
const patterns = process.argv.slice(2)
const files = globSync(patterns.length > 0 ? patterns : ['server/src/**/*.test.ts', 'test/**/*.test.ts']).sort()
const needTryton = files.filter((file) => file.includes('test/integrations/tryton/'))
const tryton = needTryton.length > 0 ? ensureTryton() : ({ available: true } as const)
const runnable = tryton.available ? files : files.filter((file) => !needTryton.includes(file))

if (!tryton.available) {
  process.stdout.write(`Left out, since Tryton is not here (${tryton.reason}):\n`)
  for (const file of needTryton) process.stdout.write(`  ${file}\n`)
  if (process.env.CI === 'true') process.exit(1)
}

// without names node looks for tests of its own
if (runnable.length === 0) process.exit(files.length > 0 ? 0 : 1)

const { status } = spawnSync(
  process.execPath,
  ['--test', '--test-concurrency=2', '--test-timeout=300000', ...runnable],
  {
    stdio: 'inherit',
  },
)
process.exit(status ?? 1)
