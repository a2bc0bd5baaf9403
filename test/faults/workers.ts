import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { sql } from 'kysely'
import type { Db } from '../../server/src/db/schema.ts'

export type Worker = ChildProcess & { pid: number }

/** Starts a worker process and waits until it polls. */
export async function startWorker(databaseUrl: string, origin: string, leaseSeconds: number): Promise<Worker> {
  const script = fileURLToPath(new URL('./worker-process.ts', import.meta.url))
  const worker = spawn(process.execPath, [script, databaseUrl, origin, String(leaseSeconds)], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, NODE_COMPILE_CACHE: join(tmpdir(), 'crossdock-compile-cache') },
  }) as Worker
  await once(worker.stdout!, 'data')
  return worker
}

export async function kill(worker: Worker): Promise<void> {
  if (worker.exitCode !== null || worker.signalCode !== null) return
  const gone = once(worker, 'exit')
  worker.kill('SIGKILL')
  await gone
}

/** Connections with one schedule each of the given functions, the first due longest. */
export async function insertSchedules(
  db: Db,
  options: { connections: number; hosts: number; functions: readonly string[]; everySeconds: number },
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    with organization as (insert into organizations (name) values ('tests') returning id), numbered as (
      select gen_random_uuid() as id, i from generate_series(1, ${options.connections}::integer) i
    ), connected as (
      insert into connections (id, organization_id, integration_type, integration_name, host, token_hash, token_sealed,
        credentials_sealed)
      select numbered.id, organization.id, 'wms', 'test-source', i % ${options.hosts}::integer, decode(md5(numbered.id::text), 'hex'), '', ''
      from numbered, organization returning id
    ), scheduled as (
      insert into schedules (connection_id, function_name, host, sync_frequency, due_at)
      select id, f, 'host ' || i % ${options.hosts}::integer, ${options.everySeconds}::integer,
        now() - make_interval(secs => ${options.connections}::integer - i)
      from numbered, unnest(${[...options.functions]}::text[]) f
    )
    select id from numbered order by i`.execute(db)
  return rows.map((row) => row.id)
}
