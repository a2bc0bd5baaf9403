import { rm } from 'node:fs/promises'
import { startEmbeddedPostgres } from '../server/src/db/embedded.ts'
import { migrate } from '../server/src/db/migrate.ts'
import { type Database, openDatabase } from '../server/src/db/open.ts'
import { temporaryFolder } from '../server/src/db/temporary-folder.fixture.ts'
import { resources } from '../server/src/resources/index.ts'

/** A fresh database for one benchmark. */
export async function startDatabase(): Promise<Database & { url: string; stop(): Promise<void> }> {
  const dataDir = await temporaryFolder('bench')
  const postgres = await startEmbeddedPostgres({ dataDir })
  const database = openDatabase(postgres.url, 20)
  await migrate(database.db, resources)
  return {
    ...database,
    url: postgres.url,
    async stop() {
      await database.close()
      await postgres.stop()
      await rm(dataDir, { recursive: true })
    },
  }
}
