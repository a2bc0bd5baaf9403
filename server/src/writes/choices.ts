import { LRUCache } from 'lru-cache'
import type { FaultTree } from '../errors.ts'
import { addFault } from '../http/validation.ts'
import type { WriteAction } from '../integrations/define.ts'

/** Allowed values by dot path. */
export type Choices = ReadonlyMap<string, readonly string[]>

/** Asks a system what it allows. */
export async function askChoices(action: WriteAction, client: unknown): Promise<Choices> {
  const entries = Object.entries(action.choices).map(async ([path, values]) => [path, await values(client)] as const)
  return new Map(await Promise.all(entries))
}

/**
 * Remembers for minutes what the system of a connection allows. A value that is not among it is looked up anew before
 * it is refused.
 */
export function choiceChecker(now: () => Date) {
  const cache = new LRUCache<string, { choices: Choices; askedAt: number }>({ max: 20_000, ttl: rememberedMs })

  return {
    remember(connectionId: string, action: WriteAction, choices: Choices) {
      cache.set(`${connectionId} ${action.write.action}`, { choices, askedAt: now().getTime() })
    },

    /** @returns null, or what is wrong with a body that keeps to the action's schema */
    async check(connectionId: string, action: WriteAction, body: unknown, client: unknown): Promise<FaultTree | null> {
      const given = Object.keys(action.choices).filter((path) => valuesAt(body, path.split('.')).length > 0)
      if (given.length === 0) return null
      const known = cache.get(`${connectionId} ${action.write.action}`)
      if (known) {
        const faults = faultsOf(body, known.choices)
        if (faults === null || now().getTime() - known.askedAt < freshMs) return faults
      }
      const choices = await askChoices(action, client)
      this.remember(connectionId, action, choices)
      return faultsOf(body, choices)
    },
  }
}

export type ChoiceChecker = ReturnType<typeof choiceChecker>

const rememberedMs = 300_000
const freshMs = 1000

function faultsOf(body: unknown, choices: Choices): FaultTree | null {
  const faults: FaultTree = {}
  for (const [path, allowed] of choices) {
    for (const { at, value } of valuesAt(body, path.split('.'))) {
      if (value !== null && !allowed.includes(value as string)) {
        addFault(faults, at, `Must be one of: ${allowed.join(', ')}.`)
      }
    }
  }
  return Object.keys(faults).length > 0 ? faults : null
}

/** Every value at a dot path, with where it stands; lists are gone through. */
function valuesAt(value: unknown, path: readonly string[], at: string[] = []): { at: string[]; value: unknown }[] {
  if (Array.isArray(value)) return value.flatMap((entry, index) => valuesAt(entry, path, [...at, String(index)]))
  const [step, ...rest] = path
  if (step === undefined) return [{ at, value }]
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return []
  return valuesAt(Reflect.get(value, step), rest, [...at, step])
}
