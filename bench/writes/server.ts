import { randomBytes } from 'node:crypto'
import { startCrossdock } from '../../server/src/app.ts'
import { readConfig } from '../../server/src/config.ts'
import { openCredentials } from '../../server/src/connections/connection-secrets.ts'
import { findConnection } from '../../server/src/connections/find-connections.ts'
import { openDatabase } from '../../server/src/db/open.ts'
import { startWarehouse } from '../../server/src/sandbox/warehouse/server.ts'
import { Vault } from '../../server/src/secrets.ts'

/** What the load needs to know of the server. */
export interface Served {
  /** Where Crossdock listens, and the headers of a data request. */
  crossdock: string
  headers: Record<string, string>
  /** Where the simulated warehouse listens, and its key. */
  warehouse: string
  key: string
}

/** Serves Crossdock and the warehouse of its sandbox in a process of their own: `node server.ts <database> <folder>`. */
const [databaseUrl, dataDir] = process.argv.slice(2)
const apiKey = 'sk_of_the_benchmark'
const config = readConfig({
  DATABASE_URL: databaseUrl,
  DATA_DIR: dataDir,
  ENCRYPTION_KEY: randomBytes(32).toString('base64'),
  OPERATOR_KEY: 'op_of_the_benchmark',
  BOOTSTRAP_API_KEY: apiKey,
  PORT: '0',
  RATE_LIMIT_WRITE_PER_SECOND: '0',
  LOG_LEVEL: 'warn',
})
const { address } = await startCrossdock(config, ['api'])
const answer = await fetch(`${address}/sandbox/generate-sandbox/wms`, {
  method: 'POST',
  headers: { 'x-service-api-key': apiKey },
})
const { connection_id: id, access_token: token } = (await answer.json()) as Record<string, string>
const { db } = openDatabase(databaseUrl!, 20)
const warehouse = await startWarehouse(db, { requestsPerSecond: 1_000_000 })
const connection = await findConnection(db, id!)
const { warehouse_key: key } = openCredentials(new Vault(config.encryptionKeys), connection!)
process.send!({
  crossdock: address!,
  headers: { 'x-service-api-key': apiKey, 'x-service-access-token': token! },
  warehouse: warehouse.origin,
  key: key!,
} satisfies Served)
