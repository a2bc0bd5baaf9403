import { sql } from 'kysely'
import type { Database } from '../../server/src/db/open.ts'
import { noConnection } from '../../server/src/logs/no-connection.ts'
import { createPartitions } from '../../server/src/logs/partitions.ts'
import { nextPeriod, periodOf } from '../../server/src/logs/periods.ts'

export const organizations = 40
export const connectionsEach = 200
export const days = 180

export const organizationId = (index: number) => uuidOf(1, index)
export const connectionId = (organization: number, index: number) => uuidOf(2, organization * 1000 + index)

/** Integration of each connection, by its index modulo their number. */
export const integrations = [
  ...Array.from({ length: 9 }, (_, i) => ['wms', `warehouse-${i + 1}`]),
  ['cart', 'shop-1'],
  ['carrier', 'parcels-1'],
  ['wms', 'sandbox'],
] as [type: string, name: string][]

/** What is asked, with its share per mille. */
export const calls: [share: number, method: string, path: string, status: number][] = [
  ...[
    'orders',
    'inventory',
    'products',
    'returns',
    'inbound_shipments',
    'warehouses',
    'bills',
    'order_channels',
  ].flatMap((name, i): [number, string, string, number][] => [
    [150 - i * 18, 'GET', `/wms/${name}`, 200],
    [4, 'GET', `/wms/${name}`, 422],
    [3, 'GET', `/wms/${name}`, 429],
    [1, 'GET', `/wms/${name}`, 502],
  ]),
  [60, 'GET', '/wms/orders/<path_param>', 200],
  [12, 'GET', '/wms/orders/<path_param>', 404],
  [70, 'POST', '/wms/orders', 200],
  [8, 'POST', '/wms/orders', 422],
  [20, 'POST', '/wms/returns', 200],
  [4, 'PATCH', '/schedules/<path_param>/toggle', 200],
  [2, 'DELETE', '/connections', 200],
  [1, 'PUT', '/wms/orders/<path_param>', 409],
]

/** One entry in 20,000. */
export const rareCall = ['GET', '/wms/orders', 503] as const

/** Fills the emptied log with entries spread evenly over the days before `now`, and with all that is kept beside them. */
export async function loadLog({ db, pool }: Database, rows: number, now: Date): Promise<void> {
  await sql`truncate api_logs, api_log_series, api_log_connections, api_log_hours`.execute(db)
  const start = now.getTime() - days * 86_400_000
  const periods: Date[] = []
  for (let period = periodOf(new Date(start)); period < now; period = nextPeriod(period)) periods.push(period)
  const client = await pool.connect()
  await createPartitions(client, [...periods, nextPeriod(now)])
  client.release()
  await nameAll(db)
  const waiting = [...periods]
  await Promise.all(
    [1, 2].map(async () => {
      for (let period = waiting.shift(); period; period = waiting.shift()) {
        const from = Math.max(period.getTime(), start)
        const until = Math.min(nextPeriod(period).getTime(), now.getTime())
        await loadPeriod(
          db,
          new Date(from),
          new Date(until),
          Math.round((rows * (until - from)) / (now.getTime() - start)),
        )
      }
    }),
  )
  await Promise.all([
    sql`
      insert into api_log_series (organization_id, connection_id, period, integration, call)
      select organization_id, coalesce(connection_id, ${noConnection}), period, integration, call
      from (select organization_id, connection_id, integration, call,
        date_bin('30 days', request_time, '1970-01-01Z') as period from api_logs) as entry
      group by grouping sets ((organization_id, period, integration, call), (organization_id, connection_id, period, integration, call))
    `.execute(db),
    sql`
      insert into api_log_hours (organization_id, hour, integration, status_class, writer, entries)
      select organization_id, date_trunc('hour', request_time), integration, status_code / 100, 0, count(*)
      from api_logs join api_log_calls c on c.id = call group by 1, 2, 3, 4`.execute(db),
  ])
  await sql`
    insert into api_log_connections (organization_id, period, connection_id, integration)
    select distinct organization_id, period, connection_id, integration from api_log_series where connection_id <> ${noConnection}
  `.execute(db)
  await sql
    .raw(
      'vacuum analyze api_logs, api_log_series, api_log_connections, api_log_hours, api_log_calls, api_log_integrations',
    )
    .execute(db)
  // what is measured next does not wait for what was loaded to reach the disk
  await sql`checkpoint`.execute(db)
}

const uuidOf = (kind: number, number: number) => `00000000-0000-400${kind}-8000-${String(number).padStart(12, '0')}`

async function nameAll(db: Database['db']) {
  await sql`insert into api_log_integrations (integration_type, integration_name)
    select * from unnest(${integrations.map(([type]) => type)}::text[], ${integrations.map(([, name]) => name)}::text[])
    on conflict do nothing`.execute(db)
  const all = [...calls.map(([, ...call]) => call), rareCall]
  await sql`insert into api_log_calls (request_method, request_path, status_code)
    select * from unnest(${all.map((call) => call[0])}::text[], ${all.map((call) => call[1])}::text[],
      ${all.map((call) => call[2])}::smallint[]) on conflict do nothing`.execute(db)
}

async function loadPeriod(db: Database['db'], from: Date, until: Date, rows: number) {
  const shares = calls.flatMap(([share, method, path, status]) => Array(share).fill(`${method} ${path} ${status}`))
  await sql`
    with integration as materialized (
      select array_agg(id order by place) as ids
      from unnest(${integrations.map(([type]) => type)}::text[], ${integrations.map(([, name]) => name)}::text[])
        with ordinality as wanted (integration_type, integration_name, place)
      join api_log_integrations using (integration_type, integration_name)
    ), call as materialized (
      select array_agg(id order by place) as ids,
        (select id from api_log_calls where status_code = 503) as rare
      from unnest(${shares}::text[]) with ordinality as wanted (name, place)
      join api_log_calls on name = request_method || ' ' || request_path || ' ' || status_code
    )
    insert into api_logs (organization_id, request_time, request_id, connection_id, integration, call, duration_ms, bytes,
      path_param, query_params, request_body, integration_request_bodies)
    select
      ('00000000-0000-4001-8000-' || lpad(o::text, 12, '0'))::uuid,
      ${from}::timestamptz + (g - 0.5) / ${rows} * (${until}::timestamptz - ${from}::timestamptz),
      gen_random_uuid(),
      ('00000000-0000-4002-8000-' || lpad((o * 1000 + c)::text, 12, '0'))::uuid,
      integration.ids[1 + c % ${integrations.length}],
      case when r < 0.00005 then call.rare else call.ids[1 + floor(r * ${shares.length})::integer] end,
      20 + (r * 300)::integer, 700, 'order-' || g,
      json_build_object('limit', '100', 'updated_from', '2026-05-01T00:00:00Z'),
      case when g % 8 = 0 then json_build_object('order_number', 'A-' || g, 'note', repeat('Leave at the door. ', 20)) end,
      json_build_array(json_build_object('url', 'https://warehouse.example/api/v2/orders?page=' || g % 50, 'method', 'GET', 'body', null))
    from (
      select g, floor(${organizations} * power(random(), 3))::integer as o,
        floor(${connectionsEach} * power(random(), 2))::integer as c, random() as r
      from generate_series(1, ${rows}::integer) g offset 0) as drawn, integration, call`.execute(db)
}
