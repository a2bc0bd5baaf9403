import { IntegrationError } from './fault.ts'

/** The URL a base address was entered as; an unreadable one is `rejected`, without repeating what may hold a secret. */
export function parseBase(baseUrl: string): URL {
  const base = URL.parse(baseUrl.trim())
  if (!base) {
    throw new IntegrationError('rejected', 'This address is not valid: it must look like https://example.com/path')
  }
  return base
}

/**
 * Joins a path, or the absolute URL of a next page, to the base address. Another origin is refused, since it would be
 * sent the credentials of this one.
 */
export function resolveUrl(base: URL, path: string, query: Record<string, string | number | boolean | undefined> = {}) {
  const url = /^https?:\/\//i.test(path) ? URL.parse(path) : joined(base, path)
  if (url?.origin !== base.origin) {
    throw new IntegrationError('invalid_response', 'The system refers to an address outside of its own', {
      url: base.origin,
    })
  }
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) url.searchParams.set(name, String(value))
  }
  return url
}

/** Later headers win; names are lower-cased. A value that HTTP cannot carry is `rejected`, without repeating it. */
export function mergeHeaders(...layers: (Record<string, string> | undefined)[]): Record<string, string> {
  const merged = new Headers()
  for (const [name, value] of layers.flatMap((layer) => Object.entries(layer ?? {}))) {
    try {
      merged.set(name, value)
    } catch {
      throw new IntegrationError('rejected', `The value for header ${name} holds a character that cannot be sent`)
    }
  }
  return Object.fromEntries(merged)
}

export function defaultHeaders(body: string | null): Record<string, string> {
  return {
    accept: 'application/json',
    'accept-encoding': 'gzip, deflate, br',
    ...(body !== null && { 'content-type': 'application/json' }),
  }
}

function joined(base: URL, path: string): URL | null {
  const url = new URL(base)
  url.search = ''
  url.hash = ''
  if (path === '') return url
  return URL.parse(`${url.href.replace(/\/+$/, '')}/${path.replace(/^\/+/, '')}`)
}
