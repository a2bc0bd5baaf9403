alter table organizations
  -- shown on the install page; set by the operator
  add column brand_logo_url text,
  add column brand_color text;

-- the connection made or reinstalled last, whose first crawls the page shows
alter table link_tokens add column installed_connection_id uuid references connections on delete set null;
create index on link_tokens (expires_at);
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

-- failed installs are told without a connection
alter table webhook_events alter column connection_id drop not null;

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
