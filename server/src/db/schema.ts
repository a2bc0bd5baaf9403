import type { ColumnType, Generated, Kysely } from 'kysely'

export type Db = Kysely<Schema>

export interface Schema {
  organizations: OrganizationsTable
  api_keys: ApiKeysTable
  connections: ConnectionsTable
  link_tokens: LinkTokensTable
  auth_codes: AuthCodesTable
  magic_links: MagicLinksTable
  install_attempts: InstallAttemptsTable
  integration_requests: IntegrationRequestsTable
  schedules: SchedulesTable
  sync_jobs: SyncJobsTable
  crawl_sightings: { connection_id: string; function_name: string; id: string }
  connection_errors: ConnectionErrorsTable
  records: RecordsTable
  webhook_endpoints: WebhookEndpointsTable
  webhook_retired_secrets: WebhookRetiredSecretsTable
  webhook_events: WebhookEventsTable
  webhook_deliveries: WebhookDeliveriesTable
  idempotency_keys: IdempotencyKeysTable
  sandboxes: SandboxesTable
  sandbox_warehouses: SandboxWarehousesTable
  sandbox_documents: SandboxDocumentsTable
  sandbox_references: { warehouse_id: string; reference: string; kind: string; document_id: string }
}

/** A JSON column: read parsed, written as JSON text. */
export type Json<T> = ColumnType<T, string, string>
type JsonDefault<T> = ColumnType<T, string | undefined, string>

interface OrganizationsTable {
  id: Generated<string>
  name: string
  disabled_functions: JsonDefault<Record<string, string[]>>
  historical_days: Generated<number>
  brand_logo_url: string | null
  brand_color: string | null
  created_at: Generated<Date>
}

interface ApiKeysTable {
  id: Generated<string>
  organization_id: string
  hash: Buffer
  hint: string
  scope: 'full' | 'read'
  created_at: Generated<Date>
}

interface ConnectionsTable {
  id: Generated<string>
  organization_id: string
  integration_type: string
  integration_name: string
  host: string
  customer_id: string | null
  token_hash: Buffer
  token_sealed: Buffer
  credentials_sealed: Buffer
  me: Json<{ account_id: string; account_name: string } | null> | null
  webhooks_disabled: Generated<boolean>
  disabled_functions: Generated<string[]>
  enabled_functions: Generated<string[]>
  times_used: Generated<string>
  last_used: Date | null
  created_at: Generated<Date>
}

interface LinkTokensTable {
  hash: Buffer
  organization_id: string
  connection_id: string | null
  customer_id: string | null
  installed_connection_id: string | null
  expires_at: Date
  created_at: Generated<Date>
}

interface AuthCodesTable {
  hash: Buffer
  organization_id: string
  connection_id: string
  expires_at: Date
  used_at: Date | null
}

interface MagicLinksTable {
  hash: Buffer
  id_sealed: Buffer
  organization_id: string
  connection_id: string | null
  installed_connection_id: string | null
  customer_id: string | null
  integration_type: string
  integration_allow_list: string[]
  integration_block_list: string[]
  integrations_with_endpoints: string[]
  disabled_functions: string[]
  enabled_functions: string[]
  expires_at: Date
  used_at: Date | null
  deleted_at: Date | null
  created_at: Generated<Date>
}

interface InstallAttemptsTable {
  id: Generated<string>
  organization_id: string
  customer_id: string | null
  integration_type: string
  integration_name: string
  outcome: 'succeeded' | 'failed'
  step: string | null
  message: string | null
  magic_link_hash: Buffer | null
  created_at: Date
}

interface IntegrationRequestsTable {
  id: Generated<string>
  organization_id: string
  integration_type: string
  integration_name: string
  flows: string[]
  integration_contact_email: string | null
  brand_name: string | null
  brand_contact_email: string | null
  api_docs_url: string | null
  api_docs_via_email: boolean | null
  prod_creds_url: string | null
  sandbox_creds_url: string | null
  notes: string | null
  created_at: Generated<Date>
}

interface SchedulesTable {
  connection_id: string
  function_name: string
  sync_frequency: number
  paused: Generated<boolean>
  disabled: Generated<boolean>
  due_at: Date | null
  fence: Generated<string>
  host: string
  forced: Generated<boolean>
  running: Generated<boolean>
  failures: Generated<number>
  checkpoint: Json<unknown> | null
  last_crawl_start: Date | null
  last_crawl_end: Date | null
  latest_data: Date | null
  first_synced_at: Date | null
}

interface SyncJobsTable {
  id: Generated<string>
  connection_id: string
  function_name: string
  status: Generated<'open' | 'completed' | 'cancelled' | 'stuck'>
  requested_start_time: Date
  requested_end_time: Date
  checkpoint: Json<unknown> | null
  failures: Generated<number>
  created_at: Generated<Date>
}

interface ConnectionErrorsTable {
  id: Generated<string>
  connection_id: string
  cause: string
  error_message: string
  failed_url: string
  affected_endpoints: Json<{ endpoint: string; preventing_sync: boolean }[]>
  first_seen: Generated<Date>
  last_seen: Generated<Date>
}

interface RecordsTable {
  resource: string
  connection_id: string
  id: string
  created_date: Date
  updated_date: Date
  service_created_date: Date
  service_updated_date: Date
  written_at: Date | null
  hash: Buffer
  filters: Json<Record<string, string | null>>
  service_tags: Json<unknown[]> | null
  /** JSON text; select it as `body::text`. */
  body: string
  deleted_at: Date | null
}

interface WebhookEndpointsTable {
  id: Generated<string>
  organization_id: string
  url: string
  description: Generated<string>
  event_types: Generated<string[]>
  status: Generated<'enabled' | 'disabled'>
  disabled_reason: string | null
  failing_since: Date | null
  last_failed_at: Date | null
  secret_sealed: Buffer
  created_at: Generated<Date>
}

interface WebhookRetiredSecretsTable {
  endpoint_id: string
  secret_sealed: Buffer
  expires_at: Date
}

interface WebhookEventsTable {
  id: Generated<string>
  organization_id: string
  connection_id: string | null
  event_type: string
  resource_id: string | null
  /** JSON text. */
  payload: string
  full_payload: string | null
  created_at: Generated<Date>
}

export interface WebhookAttempt {
  attempted_at: string
  /** Null when no answer came. */
  status_code: number | null
  /** Why the attempt failed; null when it succeeded. */
  error: string | null
  /** The first 2 kB of the answer. */
  answer: string
  duration_ms: number
}

interface WebhookDeliveriesTable {
  event_id: string
  endpoint_id: string
  status: Generated<'pending' | 'succeeded' | 'failed'>
  due_at: Date | null
  leased_until: Date | null
  fence: Generated<number>
  tries: Generated<number>
  first_tried_at: Date | null
  attempts: JsonDefault<WebhookAttempt[]>
}

interface IdempotencyKeysTable {
  scope: string
  key: string
  fingerprint: Buffer
  reference: string
  holder: string
  lease_until: Date | null
  status: number | null
  answer_sealed: Buffer | null
  created_at: Generated<Date>
}

interface SandboxesTable {
  organization_id: string
  integration_type: string
  connection_id: string
  token_sealed: Buffer
}

export interface SandboxFault {
  function_name: string
  status_code: number
  error_message?: string
  times?: number
}

interface SandboxWarehousesTable {
  id: string
  key_hash: Buffer
  faults: JsonDefault<SandboxFault[]>
}

interface SandboxDocumentsTable {
  warehouse_id: string
  kind: string
  id: string
  modified_at: Date
  // biome-ignore lint/suspicious/noExplicitAny: a document of any kind of the warehouse
  body: Json<any>
}
