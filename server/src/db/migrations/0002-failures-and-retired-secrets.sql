-- in a row, without a page saved in between
alter table sync_jobs add failures integer not null default 0;

-- to the hour; `failing_since` begins anew after a time without attempts
alter table webhook_endpoints add last_failed_at timestamptz;

-- secrets that were rotated away and sign along until they expire
create table webhook_retired_secrets (
  endpoint_id uuid not null references webhook_endpoints on delete cascade,
  secret_sealed bytea not null,
  expires_at timestamptz not null
);
create index on webhook_retired_secrets (endpoint_id);
insert into webhook_retired_secrets
  select id, previous_secret_sealed, previous_secret_expires_at from webhook_endpoints
  where previous_secret_sealed is not null;
-- the columns stay as long as processes of the version before may run beside this one
update webhook_endpoints set previous_secret_sealed = null, previous_secret_expires_at = null;
