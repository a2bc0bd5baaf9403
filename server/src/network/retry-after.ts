/** Seconds a `Retry-After` header asks for, as a number or an HTTP date; null where it says neither. */
export function retryAfterSeconds(header: string | null | undefined, now: Date): number | null {
  if (header == null) return null
  if (/^\s*\d+(\.\d+)?\s*$/.test(header)) return Number(header)
  const at = Date.parse(header)
  return Number.isNaN(at) ? null : Math.max(0, Math.ceil((at - now.getTime()) / 1000))
}
