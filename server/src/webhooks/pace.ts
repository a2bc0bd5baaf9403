export interface PaceLimits {
  /** Deliveries at a time. */
  slots: number
  /** Of them, to one endpoint. */
  perEndpoint: number
  /** Deliveries begun to one endpoint per second. */
  perEndpointPerSecond: number
}

interface Endpoint {
  inFlight: number
  /** Whether it has ever taken anything. */
  proven: boolean
  /** In a row. */
  failures: number
  endedAt: number
  /** Deliveries it may begin now; refilled by time. */
  tokens: number
  refilledAt: number
  /** It asked for a pause until then. */
  pausedUntil: number
}

/** How much may be sent where now. */
export interface Allowances {
  /** How many deliveries each endpoint may begin; those that are not named may begin one. */
  each: Record<string, number>
  /** Endpoints that keep failing. */
  failing: string[]
  /** How many deliveries those may begin together. */
  failingTogether: number
}

/**
 * How much may be sent where, in this process. An endpoint gets one delivery at a time until it has taken one, and again
 * while it keeps failing. All that keep failing together get at most half of the slots: receivers that hang never hold up
 * the others.
 */
export class Pace {
  readonly #limits: PaceLimits
  readonly #endpoints = new Map<string, Endpoint>()
  #inFlight = 0
  #failingInFlight = 0

  constructor(limits: PaceLimits) {
    this.#limits = limits
  }

  get freeSlots(): number {
    return this.#limits.slots - this.#inFlight
  }

  get inFlight(): number {
    return this.#inFlight
  }

  allowances(nowMs: number): Allowances {
    const each: Record<string, number> = {}
    const failing: string[] = []
    for (const [id, endpoint] of this.#endpoints) {
      this.#refill(endpoint, nowMs)
      if (this.#isForgettable(endpoint, nowMs)) {
        this.#endpoints.delete(id)
        continue
      }
      each[id] = this.#allowance(endpoint, nowMs)
      if (isFailing(endpoint)) failing.push(id)
    }
    const failingTogether = Math.max(0, Math.ceil(this.#limits.slots / 2) - this.#failingInFlight)
    return { each, failing, failingTogether }
  }

  begin(id: string, nowMs: number): void {
    const endpoint = this.#of(id, nowMs)
    endpoint.tokens -= 1
    this.#count(endpoint, 1)
  }

  end(id: string, succeeded: boolean, pauseMs: number, nowMs: number): void {
    const endpoint = this.#of(id, nowMs)
    this.#count(endpoint, -1)
    const before = isFailing(endpoint)
    endpoint.proven ||= succeeded
    endpoint.failures = succeeded ? 0 : endpoint.failures + 1
    if (isFailing(endpoint) !== before) this.#failingInFlight += before ? -endpoint.inFlight : endpoint.inFlight
    endpoint.endedAt = nowMs
    if (pauseMs > 0) endpoint.pausedUntil = nowMs + Math.min(pauseMs, longestPauseMs)
  }

  #allowance(endpoint: Endpoint, nowMs: number): number {
    if (endpoint.pausedUntil > nowMs) return 0
    const concurrent = endpoint.proven && !isFailing(endpoint) ? this.#limits.perEndpoint : 1
    return Math.max(0, Math.min(concurrent - endpoint.inFlight, Math.floor(endpoint.tokens)))
  }

  #of(id: string, nowMs: number): Endpoint {
    let endpoint = this.#endpoints.get(id)
    if (!endpoint) {
      const tokens = this.#limits.perEndpointPerSecond
      endpoint = { inFlight: 0, proven: false, failures: 0, endedAt: nowMs, tokens, refilledAt: nowMs, pausedUntil: 0 }
      this.#endpoints.set(id, endpoint)
    }
    return endpoint
  }

  #refill(endpoint: Endpoint, nowMs: number): void {
    const { perEndpointPerSecond } = this.#limits
    const gained = ((nowMs - endpoint.refilledAt) / 1000) * perEndpointPerSecond
    endpoint.tokens = Math.min(perEndpointPerSecond, endpoint.tokens + gained)
    endpoint.refilledAt = nowMs
  }

  #count(endpoint: Endpoint, change: 1 | -1): void {
    endpoint.inFlight += change
    this.#inFlight += change
    if (isFailing(endpoint)) this.#failingInFlight += change
  }

  #isForgettable(endpoint: Endpoint, nowMs: number): boolean {
    if (endpoint.inFlight > 0 || endpoint.pausedUntil > nowMs) return false
    return endpoint.endedAt + (isFailing(endpoint) ? failureRememberedMs : rememberedMs) < nowMs
  }
}

/** A message waits as long as its receiver asks, the endpoint's other messages not longer than this. */
const longestPauseMs = 60_000

const isFailing = ({ proven, failures }: Endpoint) => failures >= (proven ? 3 : 1)
const failureRememberedMs = 10 * 60_000
/** Long enough for its tokens to be full again. */
const rememberedMs = 10_000
