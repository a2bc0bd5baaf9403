import { pino } from 'pino'
import { openDatabase } from '../../server/src/db/open.ts'
import { createHttp } from '../../server/src/integrations/http-client.ts'
import { testIntegration } from '../../server/src/sync/source.fixture.ts'
import { startSyncWorker } from '../../server/src/sync/worker.ts'

/** A worker in a process of its own, for tests that kill it: `node worker-process.ts <database> <source> <lease seconds>`. */
const [databaseUrl, origin, leaseSeconds] = process.argv.slice(2)
const { db } = openDatabase(databaseUrl!, 8)
const integration = testIntegration()

startSyncWorker({
  db,
  log: pino({ level: 'fatal' }),
  pollMs: 100,
  leaseSeconds: Number(leaseSeconds),
  // connections of these tests are accounts of the source, without credentials of their own
  open: async (connectionId) => ({
    source: {
      organizationId: connectionId,
      connectionId,
      customerId: null,
      integrationName: integration.name,
      integrationType: integration.type,
      webhooksDisabled: false,
    },
    integration,
    historicalDays: 30,
    endpoints: [],
    connect: async (signal) =>
      integration.connect(
        { base_url: origin!, account: connectionId, worker: String(process.pid) },
        createHttp({ allowPrivateNetwork: true, trustedOrigins: [], signal, retry: { attempts: 1 } }),
      ),
  }),
})
process.stdout.write('ready\n')
