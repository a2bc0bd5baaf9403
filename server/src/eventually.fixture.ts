import { setTimeout as pause } from 'node:timers/promises'

type NotYet = null | undefined | false

/** Waits for what nobody announces. @returns what `look` finds, as soon as it finds something */
export async function eventually<Found>(
  look: () => Promise<Found | NotYet> | Found | NotYet,
  withinMs = 30_000,
): Promise<Found> {
  const end = Date.now() + withinMs
  while (true) {
    const found = await look()
    if (found !== null && found !== undefined && found !== false) return found
    if (Date.now() > end) throw new Error(`not within ${withinMs} ms: ${look}`)
    await pause(20)
  }
}
