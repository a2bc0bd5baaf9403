import { parseArgs } from 'node:util'
import { pino } from 'pino'
import { type Crossdock, type Role, startCrossdock } from './app.ts'
import { ConfigError, readConfig } from './config.ts'
import { openStorage } from './db/storage.ts'
import { resources } from './resources/index.ts'

const commands: Record<string, readonly Role[]> = {
  start: ['api', 'worker'],
  api: ['api'],
  worker: ['worker'],
  migrate: [],
}
const stopMs = 9000

const [command = 'start'] = parseArgs({ allowPositionals: true }).positionals
const roles = commands[command]
if (!roles) fail(`There is no command ${command}; there are ${Object.keys(commands).join(', ')}`)

try {
  const config = readConfig(process.env)
  if (command === 'migrate') {
    const storage = await openStorage(config, pino({ level: config.logLevel }), resources)
    await storage.close()
    process.stdout.write('The database is up to date\n')
  } else {
    const starting = startCrossdock(config, roles)
    let stopping: Promise<void> | undefined
    // npm passes a terminal's Ctrl-C on a second time: only the first counts
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => (stopping ??= stop(starting)))
    const { publicUrl, apiKey, address } = await starting
    if (address) process.stdout.write(banner(publicUrl, config.bootstrapApiKey === null ? apiKey : null))
  }
} catch (error) {
  fail(error instanceof ConfigError ? error.message : `Crossdock did not start: ${(error as Error).message}`)
}

/** Ends the process with 0, even where a database that hangs keeps something from stopping in order. */
async function stop(starting: Promise<Crossdock>) {
  setTimeout(() => process.exit(0), stopMs)
  try {
    await (await starting).stop()
  } catch (error) {
    fail(`Crossdock did not stop in order: ${(error as Error).message}`)
  }
  process.exit(0)
}

function banner(publicUrl: string, apiKey: string | null): string {
  const key = apiKey ?? '$API_KEY'
  return [
    '',
    `  Crossdock listens at ${publicUrl}`,
    `  API reference        ${publicUrl}/docs`,
    ...(apiKey ? [`  API key              ${apiKey}  (shown once)`] : []),
    '',
    `  curl -X POST ${publicUrl}/sandbox/generate-sandbox/wms -H "x-service-api-key: ${key}"`,
    '',
    '',
  ].join('\n')
}

function fail(message: string): never {
  process.stderr.write(`${message}\n`)
  process.exit(1)
}
