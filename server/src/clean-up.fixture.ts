import type { TestContext } from 'node:test'

/** Undoes in the reverse order, all of it: first what was started stops, then its folder goes. */
export function cleanUp(t: TestContext, undo: () => unknown): void {
  const undos = undosOf.get(t) ?? []
  if (!undosOf.has(t)) {
    undosOf.set(t, undos)
    t.after(async () => {
      const failures: unknown[] = []
      for (const step of undos.reverse()) await Promise.try(step).catch((error) => failures.push(error))
      if (failures.length > 0) throw failures[0]
    })
  }
  undos.push(undo)
}

const undosOf = new WeakMap<TestContext, (() => unknown)[]>()
