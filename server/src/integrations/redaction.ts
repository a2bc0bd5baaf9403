import { isSecretName, mask } from '../secret-names.ts'

/** Takes secrets out of what is logged or shown of a call. */
export interface Redaction {
  /** The address with the values of secret query parameters masked. */
  url(url: URL): string
  /** A JSON value with the values of secret properties masked. */
  json(value: unknown): unknown
  /** Free text with known secrets masked and query strings of addresses cut off. */
  text(text: string): string
}

/** `secrets` are masked wherever they occur, on top of whatever is named like one. */
export function createRedaction(secrets: readonly string[]): Redaction {
  // Shorter ones would mask parts of ordinary words.
  const known = secrets.filter((secret) => secret.length >= 4).flatMap((secret) => [secret, encodeURIComponent(secret)])
  const masked = (text: string) => known.reduce((rest, secret) => rest.replaceAll(secret, mask), text)

  function json(value: unknown, key?: string): unknown {
    if (key !== undefined && typeof value !== 'object' && isSecretName(key)) return mask
    if (typeof value === 'string') return masked(value)
    if (Array.isArray(value)) return value.map((item) => json(item, key))
    if (value === null || typeof value !== 'object') return value
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, json(inner, name)]))
  }

  return {
    url(url) {
      const shown = new URL(url)
      shown.username = ''
      shown.password = ''
      for (const name of new Set(shown.searchParams.keys())) {
        if (isSecretName(name)) shown.searchParams.set(name, mask)
      }
      return masked(shown.href)
    },
    json: (value) => json(value),
    text: (text) => masked(text.replace(/(https?:\/\/[^\s?#"']*)[?#][^\s"']*/gi, '$1')),
  }
}
