import type { Integration } from '../integrations/define.ts'
import type { EffectGuard } from '../integrations/guard-effects.ts'
import type { EventSource } from '../webhooks/emit.ts'

/** What whoever reads or writes its system needs to know of a connection. */
export interface OpenConnection {
  source: EventSource
  integration: Integration
  /** Days a first crawl reads back. */
  historicalDays: number
  /** Every endpoint it offers, for example `GET /wms/orders`. */
  endpoints: string[]
  /** Makes the integration's client; its calls that have an effect are left to the guard. */
  connect(signal: AbortSignal, guard?: EffectGuard): Promise<unknown>
}
