drop table idempotency_keys;

create table idempotency_keys (
  -- whose key it is: 'connection <id>', 'organization <id>' or 'operator'
  scope text not null,
  key text not null,
  -- of method, address and body
  fingerprint bytea not null,
  -- what the system behind knows the request by
  reference uuid not null,
  -- until when the process that runs the request counts as alive; null: answered
  lease_until timestamptz,
  status integer,
  answer_sealed bytea,
  created_at timestamptz not null default now(),
  primary key (scope, key)
);
create index on idempotency_keys (created_at);
create index on idempotency_keys (lease_until) where lease_until is not null;

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
