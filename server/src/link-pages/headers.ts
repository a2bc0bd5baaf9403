/**
 * Headers of the page. It runs our own scripts and styles alone and speaks to our own server alone; pictures may come
 * from https, which the page itself narrows to the organization's logo once it knows it.
 * @param ancestors origins that may embed it
 */
export function pageHeaders(ancestors: readonly string[]): Record<string, string> {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    'img-src data: https:',
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    `frame-ancestors ${ancestors.length > 0 ? ancestors.join(' ') : "'none'"}`,
  ]
  return {
    'content-security-policy': policy.join('; '),
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=()',
    'x-robots-tag': 'noindex, nofollow',
    ...(ancestors.length === 0 && { 'x-frame-options': 'DENY', 'cross-origin-opener-policy': 'same-origin' }),
  }
}

/** The origins among texts that claim to be some; anything else would end up in a header. */
export function originsAmong(texts: readonly string[]): string[] {
  return texts.filter((text) => {
    const address = URL.parse(text)
    return address !== null && /^https?:$/.test(address.protocol) && address.origin === text
  })
}
