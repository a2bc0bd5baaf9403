/** A picture for an integration: its initials on a colour of its own, as a `data:` address that needs no server. */
export function logoUrl(integration: { name: string; displayName: string }): string {
  const initials = integration.displayName
    .split(/[^\p{L}\p{N}]+/u)
    .flatMap((word) => [...word].slice(0, 1))
    .slice(0, 2)
    .join('')
    .toUpperCase()
  const svg =
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64">` +
    `<rect width="64" height="64" rx="12" fill="hsl(${hueOf(integration.name)} 55% 38%)"/>` +
    `<text x="32" y="42" font-family="sans-serif" font-size="28" fill="#fff" text-anchor="middle">${initials}</text></svg>`
  return `data:image/svg+xml,${encodeURIComponent(svg)}`
}

const hueOf = (name: string) => [...name].reduce((hue, letter) => (hue * 31 + letter.codePointAt(0)!) % 360, 7)
