import type { WriteAction } from '../integrations/define.ts'

/** Which of the fields that a body has come to nothing, by dot path. */
export function unusedFields({ unused }: Pick<WriteAction, 'unused'>, body: unknown): string[] {
  return Object.entries(unused).flatMap(([path, comesToNothing]) =>
    objectsWith(body, path.split('.')).some(comesToNothing) ? path : [],
  )
}

/** The objects that hold the last step of a path; lists are gone through. */
function objectsWith(value: unknown, [step, ...rest]: readonly string[]): Record<string, unknown>[] {
  if (Array.isArray(value)) return value.flatMap((entry) => objectsWith(entry, [step!, ...rest]))
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step!)) return []
  const object = value as Record<string, unknown>
  return rest.length === 0 ? [object] : objectsWith(object[step!], rest)
}
