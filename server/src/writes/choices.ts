import { LRUCache } from 'lru-cache'
import type { BodyFault } from '../http/validation.ts'
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

    /** @returns the values of a body that its system does not allow */
    async check(connectionId: string, action: WriteAction, body: unknown, client: unknown): Promise<BodyFault[]> {
      if (!asksForChoices(action, body)) return []
      const known = cache.get(`${connectionId} ${action.write.action}`)
      if (known) {
        const unlisted = unlistedIn(body, known.choices)
        if (unlisted.length === 0 || now().getTime() - known.askedAt < freshMs) return unlisted
      }
      const choices = await askChoices(action, client)
      this.remember(connectionId, action, choices)
      return unlistedIn(body, choices)
    },
  }
}

/** Whether a body holds anything that its system must be asked about. */
export const asksForChoices = (action: WriteAction, body: unknown) =>
  Object.keys(action.choices).some((path) => valuesAt(body, path.split('.')).length > 0)

export type ChoiceChecker = ReturnType<typeof choiceChecker>

const rememberedMs = 300_000
const freshMs = 1000

const unlistedIn = (body: unknown, choices: Choices): BodyFault[] =>
  [...choices].flatMap(([path, allowed]) =>
    valuesAt(body, path.split('.'))
      .filter(({ value }) => value !== null && !allowed.includes(value as string))
      .map(({ at }) => ({ at, message: `Must be one of: ${allowed.join(', ')}.` })),
  )

/** Every value at a dot path, with where it stands; lists are gone through. */
function valuesAt(value: unknown, path: readonly string[], at: string[] = []): { at: string[]; value: unknown }[] {
  if (Array.isArray(value)) return value.flatMap((entry, index) => valuesAt(entry, path, [...at, String(index)]))
  const [step, ...rest] = path
  if (step === undefined) return [{ at, value }]
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return []
  return valuesAt(Reflect.get(value, step), rest, [...at, step])
}
