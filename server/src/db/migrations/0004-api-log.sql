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
