import type { Idempotency } from '../idempotency/idempotency.ts'
import { IntegrationError } from '../integrations/fault.ts'
import type { EffectGuard } from '../integrations/guard-effects.ts'

/** What one run of a write may have done in the system behind, which decides what becomes of its key. */
export class Effects {
  readonly #idempotency: Idempotency | null
  #possible = 0

  constructor(idempotency: Idempotency | null) {
    this.#idempotency = idempotency
  }

  /** @throws ApiError 409 when this process has lost the key to another */
  guard: EffectGuard = async (call) => {
    this.#idempotency?.hold()
    this.#possible++
    try {
      return await call()
    } catch (error) {
      if (error instanceof IntegrationError && !error.effectUnknown) this.#possible--
      throw error
    }
  }

  /** Runs the write itself; one that is refused without any effect releases its key, whatever was before. */
  async run<Outcome>(perform: () => Promise<Outcome>): Promise<Outcome> {
    try {
      return await perform()
    } catch (error) {
      const without =
        error instanceof IntegrationError && (error.undone || (this.#possible === 0 && !error.effectUnknown))
      if (without && this.#idempotency) this.#idempotency.unknown = false
      throw error
    }
  }
}
