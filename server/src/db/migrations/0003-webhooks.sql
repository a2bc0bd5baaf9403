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

alter table webhook_events
  -- failed installs have no connection
  alter column connection_id drop not null,
  -- the message is signed and sent as it is kept
  alter column payload type json using payload::json,
  -- the whole event where the payload is thin
  add column full_payload json;
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
