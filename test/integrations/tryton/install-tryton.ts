import { spawnSync } from 'node:child_process'

/**
 * Makes sure that a real Tryton server can be started here: on Debian or Ubuntu, as root, the missing packages are
 * installed from the distribution. Elsewhere `reason` says in words why the tests against Tryton cannot run.
 */
export function ensureTryton(): { available: true } | { available: false; reason: string } {
  if (isInstalled()) return { available: true }
  if (spawnSync('apt-get', ['--version']).error)
    return { available: false, reason: 'trytond is not installed, and this is no Debian or Ubuntu with apt-get' }
  if (process.getuid?.() !== 0)
    return { available: false, reason: `trytond is not installed, and only root can: apt-get install ${packages[0]} …` }
  for (const args of [['update'], ['install', '-y', '--no-install-recommends', ...packages]]) {
    const { status, stderr } = spawnSync('apt-get', ['-qq', ...args], {
      encoding: 'utf8',
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    })
    if (status !== 0) return { available: false, reason: `apt-get ${args[0]} failed: ${stderr.trim()}` }
  }
  if (!isInstalled()) return { available: false, reason: 'the packages are installed, yet trytond does not start' }
  return { available: true }
}

/** The modules a database is created with; Tryton activates those that they depend on as well. */
export const activatedModules = [
  'stock',
  'stock_lot',
  'stock_supply',
  'sale',
  'purchase',
  'stock_package',
  'stock_package_shipping',
  'stock_shipment_measurements',
  'sale_supply',
  'sale_shipment_cost',
]

/** Package names and versions of what is installed, one per line: a database fits only the code that created it. */
export function installedVersions(): string {
  return spawnSync('dpkg-query', ['-W', 'tryton-*'], { encoding: 'utf8' }).stdout
}

const packages = ['tryton-server', ...activatedModules.map((module) => `tryton-modules-${module.replaceAll('_', '-')}`)]

function isInstalled(): boolean {
  return [
    ['trytond', '--version'],
    ['dpkg-query', '-W', ...packages],
  ].every(([command, ...args]) => spawnSync(command!, args).status === 0)
}
