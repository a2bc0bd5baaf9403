import { spawnSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { ensureTryton } from './integrations/tryton/install-tryton.ts'

/**
 * Runs every test there is. Tests that need a third-party server which cannot be had here are left out with a word;
 * under CI=true that is a failure.
 */
const patterns = process.argv.slice(2)
const files = globSync(patterns.length > 0 ? patterns : ['server/src/**/*.test.ts', 'test/**/*.test.ts']).sort()
const tryton = ensureTryton()
const runnable = files.filter((file) => tryton.available || !file.includes('tryton'))

if (!tryton.available) {
  process.stdout.write(`Left out, since Tryton is not here (${tryton.reason}):\n`)
  for (const file of files) if (!runnable.includes(file)) process.stdout.write(`  ${file}\n`)
  if (process.env.CI === 'true') process.exit(1)
}

const { status } = spawnSync(
  process.execPath,
  ['--test', '--test-concurrency=2', '--test-timeout=300000', ...runnable],
  {
    stdio: 'inherit',
  },
)
process.exit(status ?? 1)
