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
  /** Failures in a row. */
  failures: number
  endedAt: number
  /** Deliveries it may begin now; refilled by time. */
  tokens: number
  refilledAt: number
  /** It asked for a pause until then. */
  pausedUntil: number
}

/**
 * How much may be sent where, in this process. An endpoint that keeps failing gets one delivery at a time, and all of
 * those together at most half of the slots: receivers that hang never hold up the others.
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

  /** How many deliveries each known endpoint may begin now; those that are not named may begin `perEndpoint`. */
  allowances(nowMs: number): Record<string, number> {
    const allowed: Record<string, number> = {}
    for (const [id, endpoint] of this.#endpoints) {
      this.#refill(endpoint, nowMs)
      if (this.#isForgettable(endpoint, nowMs)) this.#endpoints.delete(id)
      else allowed[id] = this.#allowance(endpoint, nowMs)
    }
    return allowed
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
    endpoint.failures = succeeded ? 0 : endpoint.failures + 1
    if (isFailing(endpoint) !== before) this.#failingInFlight += before ? -endpoint.inFlight : endpoint.inFlight
    endpoint.endedAt = nowMs
    if (pauseMs > 0) endpoint.pausedUntil = nowMs + Math.min(pauseMs, longestPauseMs)
  }

  #allowance(endpoint: Endpoint, nowMs: number): number {
    if (endpoint.pausedUntil > nowMs) return 0
    if (isFailing(endpoint) && this.#failingInFlight >= this.#limits.slots / 2) return 0
    const concurrent = isFailing(endpoint) ? 1 : this.#limits.perEndpoint
    return Math.max(0, Math.min(concurrent - endpoint.inFlight, Math.floor(endpoint.tokens)))
  }

  #of(id: string, nowMs: number): Endpoint {
    let endpoint = this.#endpoints.get(id)
    if (!endpoint) {
      const tokens = this.#limits.perEndpointPerSecond
      endpoint = { inFlight: 0, failures: 0, endedAt: nowMs, tokens, refilledAt: nowMs, pausedUntil: 0 }
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
    return isFailing(endpoint)
      ? endpoint.endedAt + rememberedMs < nowMs
      : endpoint.tokens >= this.#limits.perEndpointPerSecond
  }
}

/** A message waits as long as its receiver asks, the endpoint's other messages not longer than this. */
const longestPauseMs = 60_000

const isFailing = (endpoint: Endpoint) => endpoint.failures >= 3
const rememberedMs = 10 * 60_000
