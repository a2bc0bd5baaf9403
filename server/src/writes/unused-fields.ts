/** Which of the fields that come to nothing a body has, by dot path. */
export function unusedFields(unused: readonly string[], body: unknown): string[] {
  return unused.filter((path) => has(body, path.split('.')))
}

function has(value: unknown, [step, ...rest]: readonly string[]): boolean {
  if (step === undefined) return true
  if (Array.isArray(value)) return value.some((entry) => has(entry, [step, ...rest]))
  return (
    typeof value === 'object' && value !== null && Object.hasOwn(value, step) && has(Reflect.get(value, step), rest)
  )
}
