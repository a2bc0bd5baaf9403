-- Organizations

create table organizations (
  id uuid primary key default gen_random_uuid(),
  name text not null,
  -- integration type → functions switched off for every connection of that type
  disabled_functions jsonb not null default '{}',
  historical_days integer not null default 30,
  -- shown on the install page; set by the operator
  brand_logo_url text,
  brand_color text,
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

-- Connections

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

-- Installing

create table link_tokens (
  hash bytea primary key,
  organization_id uuid not null references organizations,
  connection_id uuid references connections on delete cascade,
  -- the connection made or reinstalled last, whose first crawls the page shows
  installed_connection_id uuid references connections on delete set null,
  customer_id text,
  expires_at timestamptz not null,
  created_at timestamptz(3) not null default now()
);
create index on link_tokens (expires_at);

create table auth_codes (
  hash bytea primary key,
  organization_id uuid not null references organizations,
  connection_id uuid not null references connections on delete cascade,
  expires_at timestamptz not null,
  used_at timestamptz
);
create index on auth_codes (expires_at);

create table magic_links (
  -- of the id, which opens the link; sealed beside it to be listed
  hash bytea primary key,
  id_sealed bytea not null,
  organization_id uuid not null references organizations,
  connection_id uuid references connections on delete cascade,
  installed_connection_id uuid references connections on delete set null,
  customer_id text,
  integration_type text not null,
  integration_allow_list text[] not null,
  integration_block_list text[] not null,
  integrations_with_endpoints text[] not null,
  disabled_functions text[] not null,
  enabled_functions text[] not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  deleted_at timestamptz,
  created_at timestamptz(3) not null default now()
);
create index on magic_links (organization_id, created_at);
create index on magic_links (connection_id) where connection_id is not null;
create index on magic_links (installed_connection_id) where installed_connection_id is not null;

create table install_attempts (
  id uuid primary key default gen_random_uuid(),
  organization_id uuid not null references organizations,
  customer_id text,
  integration_type text not null,
  integration_name text not null,
  outcome text not null check (outcome in ('succeeded', 'failed')),
  -- where it failed, and why in words without anything that was typed
  step text,
  message text,
  -- null: by link token
  magic_link_hash bytea references magic_links on delete set null,
  created_at timestamptz(3) not null
);
create index on install_attempts (organization_id, created_at, id);
create index on install_attempts (magic_link_hash) where magic_link_hash is not null;

create table integration_requests (
  id uuid primary key default gen_random_uuid(),
  organization_id uuid not null references organizations,
  integration_type text not null,
  integration_name text not null,
  flows text[] not null,
  integration_contact_email text,
  brand_name text,
  brand_contact_email text,
  api_docs_url text,
  api_docs_via_email boolean,
  prod_creds_url text,
  sandbox_creds_url text,
  notes text,
  created_at timestamptz(3) not null default now()
);
create index on integration_requests (created_at, id);

-- Syncing

create table schedules (
  connection_id uuid not null references connections on delete cascade,
  function_name text not null,
  sync_frequency integer not null,
  paused boolean not null default false,
  -- switched off by policy: kept for its checkpoint, shown to nobody
  disabled boolean not null default false,
  -- when it may be claimed next: the next crawl, or the end of the running worker's lease; null: never
  due_at timestamptz,
  -- raised at every claim; a worker whose fence is no longer this one writes nothing. It begins above whatever a schedule
  -- of the same name had come to that was deleted: a sandbox keeps its id for ever
  fence bigint not null default extract(epoch from clock_timestamp()) * 1000000,
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
  -- one open error per cause: 'credentials', 'permission: <endpoint>' or 'outage: <endpoint>'
  cause text not null,
  error_message text not null,
  failed_url text not null,
  -- [{endpoint, preventing_sync}]
  affected_endpoints jsonb not null,
  first_seen timestamptz not null default now(),
  last_seen timestamptz not null default now(),
  unique (connection_id, cause)
);

-- Data

-- every unified record of every connection; one partition per resource, made from its declaration
create table records (
  resource text not null,
  connection_id uuid not null,
  id text collate "C" not null,
  created_date timestamptz not null,
  updated_date timestamptz not null,
  service_created_date timestamptz not null,
  service_updated_date timestamptz not null,
  -- when it was last written in its system through the API
  written_at timestamptz,
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

-- Writing

create table idempotency_keys (
  -- whose key it is: 'connection <id>', 'organization <id>' or 'operator'
  scope text not null,
  key text not null,
  -- of method, address and body
  fingerprint bytea not null,
  -- what the system behind knows the request by
  reference uuid not null,
  -- another for each run: only who took the key last renews, answers or releases it
  holder uuid not null,
  -- until when the process that runs the request counts as alive; null: answered
  lease_until timestamptz,
  status integer,
  answer_sealed bytea,
  created_at timestamptz not null default now(),
  primary key (scope, key)
);
create index on idempotency_keys (created_at);
create index on idempotency_keys (lease_until) where lease_until is not null;

-- Webhooks

create table webhook_endpoints (
  id uuid primary key default gen_random_uuid(),
  organization_id uuid not null references organizations,
  url text not null,
  description text not null default '',
  -- empty: all
  event_types text[] not null default '{}',
  status text not null default 'enabled' check (status in ('enabled', 'disabled')),
  disabled_reason text,
  -- the first failure since the last success; null while deliveries succeed
  failing_since timestamptz,
  secret_sealed bytea not null,
  previous_secret_sealed bytea,
  previous_secret_expires_at timestamptz,
  created_at timestamptz(3) not null default now()
);
create index on webhook_endpoints (organization_id, created_at, id);

create table webhook_events (
  id uuid primary key default gen_random_uuid(),
  organization_id uuid not null,
  -- failed installs have none
  connection_id uuid,
  event_type text not null,
  resource_id text,
  -- the message is signed and sent as it is kept
  payload json not null,
  -- the whole event where the payload is thin
  full_payload json,
  created_at timestamptz(3) not null default now()
);
create index on webhook_events (organization_id, created_at, id);
create index on webhook_events (organization_id, event_type, created_at, id);
create index on webhook_events (connection_id, created_at, id);
create index on webhook_events (resource_id, created_at, id);
create index on webhook_events (created_at);

-- one event for one endpoint
create table webhook_deliveries (
  event_id uuid not null,
  endpoint_id uuid not null,
  status text not null default 'pending' check (status in ('pending', 'succeeded', 'failed')),
  -- the next attempt; null: never. A first attempt stands before all retries.
  due_at timestamptz default '-infinity',
  -- while an attempt is under way, and until then at most. In no index: claiming a delivery moves nothing.
  leased_until timestamptz,
  -- raised at every claim; a worker whose fence is no longer this one writes nothing
  fence integer not null default 0,
  -- where it stands in the retry schedule; the schedule begins anew when it is sent again by hand
  tries smallint not null default 0,
  first_tried_at timestamptz,
  -- [{attempted_at, status_code, error, answer, duration_ms}]
  attempts jsonb not null default '[]',
  primary key (event_id, endpoint_id)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);
create index webhook_deliveries_due on webhook_deliveries (endpoint_id, due_at) where due_at is not null;
create index webhook_deliveries_failed on webhook_deliveries (endpoint_id) where status = 'failed';

-- The API log

-- what entries of the API log repeat, kept once; rows are never changed
create table api_log_integrations (
  id integer primary key generated always as identity,
  integration_type text not null,
  integration_name text not null,
  unique (integration_type, integration_name)
);

create table api_log_calls (
  id integer primary key generated always as identity,
  request_method text not null,
  request_path text not null,
  status_code smallint not null,
  unique (request_path, request_method, status_code)
);

-- every logged request; one partition per period, made and dropped by its maintenance
create table api_logs (
  organization_id uuid not null,
  request_time timestamptz(3) not null,
  request_id uuid not null,
  -- the nil UUID where no connection is known
  connection_id uuid not null,
  integration integer not null,
  call integer not null,
  duration_ms integer not null,
  -- of the entry as it is answered, about
  bytes integer not null,
  idempotency_key text,
  path_param text,
  error text,
  error_origin text,
  query_params json not null,
  request_body json,
  integration_request_bodies json not null,
  primary key (organization_id, request_time, request_id) include (integration, call)
) partition by range (request_time);
create index api_logs_by_call on api_logs (organization_id, call, request_time, request_id);
create index api_logs_by_integration on api_logs (organization_id, integration, call, request_time, request_id);
create index api_logs_by_connection on api_logs (connection_id, call, request_time, request_id);

-- which combinations occur in a period: of each connection, and under the nil UUID of the whole organization
create table api_log_series (
  organization_id uuid not null,
  connection_id uuid not null,
  period timestamptz not null,
  integration integer not null,
  call integer not null,
  primary key (organization_id, connection_id, period, integration, call)
);

-- which connections occur in a period
create table api_log_connections (
  organization_id uuid not null,
  period timestamptz not null,
  connection_id uuid not null,
  integration integer not null,
  primary key (organization_id, period, connection_id)
);

create table api_log_hours (
  organization_id uuid not null,
  hour timestamptz not null,
  integration integer not null,
  status_class smallint not null,
  -- each writing process counts in rows of its own, so that none waits for another
  writer smallint not null,
  entries integer not null,
  primary key (organization_id, hour, integration, status_class, writer)
);

-- The sandbox

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

-- numbers of what is written into simulated warehouses
create sequence sandbox_numbers start 1000001;

-- what a simulated warehouse wrote for which reference of its caller
create table sandbox_references (
  warehouse_id uuid not null references sandbox_warehouses on delete cascade,
  reference text not null,
  kind text not null,
  document_id text not null,
  primary key (warehouse_id, reference)
);
