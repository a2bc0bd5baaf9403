import type { Settings } from './protocol.ts'

export interface Field {
  key: string
  kind: 'text' | 'url' | 'secret'
  label: string
  help: string
  optional: boolean
}

export interface Integration {
  integration_name: string
  integration_type: string
  display_name: string
  description: string
  fields: Field[]
  reads: string[]
  writes: string[]
}

export interface Session {
  mode: 'install' | 'reinstall'
  organization: { name: string; logo_url: string | null; color: string | null }
  integrations: Integration[]
}

export interface Installed {
  auth_code: string | null
  integration_name: string
  missing_permissions: { function_name: string; endpoint: string }[]
}

export interface Progress {
  completed: boolean
  functions: { function_name: string; sync_status: string; first_sync_completed: boolean }[]
}

/** A refused call. Status 0: no answer came. */
export class Refusal extends Error {
  readonly status: number
  readonly origin: string
  /** Where a live check stopped: `reach`, `log_in` or `recognize`. */
  readonly step: string | undefined
  /** What the server finds wrong, by part of the request. */
  readonly detail: unknown
  /** Messages by field. */
  readonly fields: Record<string, string[]>

  constructor(status: number, body: RefusalBody) {
    super(body.error ?? 'There is no connection to the server')
    this.status = status
    this.origin = body.origin ?? 'service'
    this.step = body.step
    this.detail = body.detail
    const { credentials, ...rest } = body.detail?.json ?? {}
    this.fields = { ...rest, ...credentials } as Record<string, string[]>
  }
}

interface RefusalBody {
  error?: string
  origin?: string
  step?: string
  detail?: { json?: Record<string, unknown> & { credentials?: Record<string, unknown> } }
}

export type Api = ReturnType<typeof createApi>

/** The calls of this page. @param secret a link token or the id of a magic link */
export function createApi(secret: string, settings: Settings) {
  const call = async <Answer>(path: string, body?: object): Promise<Answer> => {
    const answer = await fetch(path, {
      method: body ? 'POST' : 'GET',
      headers: { 'x-service-link-token': secret, ...(body && { 'content-type': 'application/json' }) },
      body: body ? JSON.stringify(body) : null,
      credentials: 'omit',
      cache: 'no-store',
    }).catch(() => null)
    if (!answer) throw new Refusal(0, {})
    const content = await answer.json().catch(() => ({}))
    if (!answer.ok) throw new Refusal(answer.status, content)
    return content
  }
  const asked = {
    integration_type: settings.integrationType,
    integration_allow_list: settings.integrationAllowList,
    integration_block_list: settings.integrationBlockList,
    integrations_with_endpoints: settings.integrationsWithEndpoints,
    disabled_functions: settings.disabledFunctions,
    sandbox: settings.sandbox,
  }
  return {
    session: () => call<Session>(`session${queryOf(asked)}`),
    install: (integrationName: string, credentials: Record<string, string>) =>
      call<Installed>('install', { integration_name: integrationName, credentials, ...asked }),
    progress: () => call<Progress>('progress'),
    requestIntegration: (request: object) => call('integration-requests', request),
  }
}

/** Lists are joined by commas. */
function queryOf(asked: Record<string, unknown>): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(asked)) if (value !== undefined) query.set(name, String(value))
  return query.size > 0 ? `?${query}` : ''
}
