import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { IntegrationError } from '../fault.ts'

/** What a login opens: what later calls are signed with, and the user's preferences, which every call repeats. */
export interface Session {
  readonly authorization: string
  readonly userId: number
  readonly context: TrytonContext
  /** Fields of each model asked for so far, by the name of the model. */
  readonly fields: Map<string, Promise<ModelFields>>
}

export type TrytonContext = Readonly<Record<string, unknown>>

/** The fields of a model, with the model that relations lead to. */
export type ModelFields = Readonly<Record<string, { relation?: string }>>

/** Which login a session is of; holds nothing of the password. */
export type SessionKey = string

/**
 * Sessions of this process, so that crawls that begin together share one: Tryton counts and slows refused logins. Kept
 * for seconds only, since a session outlives a change of the password, which has to show. A refused login is not kept;
 * those who waited for it share the refusal.
 */
export class Sessions {
  readonly #open = new LRUCache<SessionKey, Promise<Session>>({ max: 5000, ttl: sharedMs })

  key(...parts: readonly string[]): SessionKey {
    return createHash('sha256').update(JSON.stringify(parts)).digest('base64')
  }

  async get(key: SessionKey, login: () => Promise<Session>): Promise<Session> {
    const others = this.#open.get(key)
    if (others) {
      try {
        return await others
      } catch (error) {
        // what ended another's crawl before it had an answer is no answer to this one
        if (error instanceof IntegrationError) throw error
      }
    }
    const own = login()
    this.#open.set(key, own)
    own.catch(() => this.#forget(key, own))
    return own
  }

  /** Forgets a session that Tryton does not know any more, unless a newer one has taken its place. */
  async drop(key: SessionKey, dead: Session): Promise<void> {
    const kept = this.#open.get(key)
    if (kept && (await kept.catch(() => null)) === dead) this.#forget(key, kept)
  }

  #forget(key: SessionKey, session: Promise<Session>) {
    if (this.#open.get(key) === session) this.#open.delete(key)
  }
}

const sharedMs = 5000
