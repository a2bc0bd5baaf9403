create table organizations (
  id uuid primary key default gen_random_uuid(),
  name text not null,
  -- integration type → functions switched off for every connection of that type
  disabled_functions jsonb not null default '{}',
  historical_days integer not null default 30,
  created_at timestamptz(3) not null default now()
);

create table api_keys (
  id uuid primary key default gen_random_uuid(),
  organization_id uuid not null references organizations,
  hash bytea not null unique,
  hint text not null,
  scope text not null check (scope in ('full', 'read')),
  created_at timestamptz(3) not null default now()
);
create index on api_keys (organization_id);

create table connections (
  id uuid primary key default gen_random_uuid(),
  organization_id uuid not null references organizations,
  integration_type text not null,
  integration_name text not null,
  -- the host of the system behind; crawls are bounded per host
  host text not null,
  customer_id text,
  token_hash bytea not null unique,
  token_sealed bytea not null,
  credentials_sealed bytea not null,
  me jsonb,
  webhooks_disabled boolean not null default false,
  disabled_functions text[] not null default '{}',
  enabled_functions text[] not null default '{}',
  times_used bigint not null default 0,
  last_used timestamptz,
  created_at timestamptz(3) not null default now()
);
create index on connections (organization_id, created_at, id);

create table link_tokens (
  hash bytea primary key,
  organization_id uuid not null references organizations,
  connection_id uuid references connections on delete cascade,
  customer_id text,
  expires_at timestamptz not null,
  created_at timestamptz(3) not null default now()
);

create table auth_codes (
  hash bytea primary key,
  organization_id uuid not null references organizations,
  connection_id uuid not null references connections on delete cascade,
  expires_at timestamptz not null,
  used_at timestamptz
);

create table schedules (
  connection_id uuid not null references connections on delete cascade,
  function_name text not null,
  sync_frequency integer not null,
  paused boolean not null default false,
  -- switched off by policy: kept for its checkpoint, shown to nobody
  disabled boolean not null default false,
  -- when it may be claimed next: the next crawl, or the end of the running worker's lease; null: never
  due_at timestamptz,
  -- raised at every claim; a worker whose fence is no longer this one writes nothing
  fence bigint not null default 0,
  host text not null,
  forced boolean not null default false,
  running boolean not null default false,
  failures integer not null default 0,
  checkpoint jsonb,
  last_crawl_start timestamptz,
  last_crawl_end timestamptz,
  latest_data timestamptz,
  first_synced_at timestamptz,
  primary key (connection_id, function_name)
);
create index schedules_due on schedules (due_at) where due_at is not null;

create table sync_jobs (
  id uuid primary key default gen_random_uuid(),
  connection_id uuid not null references connections on delete cascade,
  function_name text not null,
  status text not null default 'open' check (status in ('open', 'completed', 'cancelled', 'stuck')),
  requested_start_time timestamptz not null,
  requested_end_time timestamptz not null,
  checkpoint jsonb,
  created_at timestamptz(3) not null default now()
);
create index on sync_jobs (connection_id, created_at, id);
create index sync_jobs_open on sync_jobs (connection_id, function_name) where status = 'open';

-- ids a running snapshot crawl has seen
create table crawl_sightings (
  connection_id uuid not null references connections on delete cascade,
  function_name text not null,
  id text collate "C" not null,
  primary key (connection_id, function_name, id)
);

create table connection_errors (
  id uuid primary key default gen_random_uuid(),
  connection_id uuid not null references connections on delete cascade,
  -- one open error per cause: 'credentials', or '<fault>:<function>'
  cause text not null,
  error_message text not null,
  failed_url text not null,
  -- [{endpoint, preventing_sync}]
  affected_endpoints jsonb not null,
  first_seen timestamptz not null default now(),
  last_seen timestamptz not null default now(),
  unique (connection_id, cause)
);

-- every unified record of every connection; one partition per resource, made from its declaration
create table records (
  resource text not null,
  connection_id uuid not null,
  id text collate "C" not null,
  created_date timestamptz not null,
  updated_date timestamptz not null,
  service_created_date timestamptz not null,
  service_updated_date timestamptz not null,
  -- of the record as the source gave it
  hash bytea not null,
  -- the declared filter fields
  filters jsonb not null,
  service_tags jsonb,
  -- the record as it is answered
  body json not null,
  deleted_at timestamptz,
  primary key (resource, connection_id, id)
) partition by list (resource);

create table webhook_events (
  id uuid primary key default gen_random_uuid(),
  organization_id uuid not null,
  connection_id uuid not null,
  event_type text not null,
  resource_id text,
  payload jsonb not null,
  created_at timestamptz(3) not null default now()
);

create table idempotency_keys (
  scope text not null,
  key text not null,
  fingerprint bytea not null,
  status integer,
  answer json,
  created_at timestamptz(3) not null default now(),
  primary key (scope, key)
);
create index on idempotency_keys (created_at);

-- the simulated warehouse systems behind sandbox connections
create table sandboxes (
  organization_id uuid not null references organizations,
  integration_type text not null,
  -- both stay the same for ever
  connection_id uuid not null unique,
  token_sealed bytea not null,
  primary key (organization_id, integration_type)
);

create table sandbox_warehouses (
  id uuid primary key,
  key_hash bytea not null unique,
  -- [{function_name, status_code, error_message, times}]
  faults jsonb not null default '[]'
);

create table sandbox_documents (
  warehouse_id uuid not null references sandbox_warehouses on delete cascade,
  kind text not null,
  id text not null,
  modified_at timestamptz not null,
  body jsonb not null,
  primary key (warehouse_id, kind, id)
);
create index on sandbox_documents (warehouse_id, kind, modified_at, id);
