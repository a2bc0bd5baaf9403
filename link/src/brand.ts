import { accentOn } from './contrast.ts'
import { element } from './element.ts'

/** Puts the organization's colour and logo on the page; without a logo its name stands there. */
export function applyBrand(brand: { name: string; color: string | null; logo: string | null }): void {
  const { style } = document.documentElement
  for (const [scheme, surface] of Object.entries(surfaces)) {
    const accent = accentOn(brand.color ?? defaultColor, surface)
    style.setProperty(`--accent-${scheme}`, accent.fill)
    style.setProperty(`--on-accent-${scheme}`, accent.onFill)
    style.setProperty(`--accent-text-${scheme}`, accent.text)
  }
  const place = document.querySelector('#brand')
  const name = element('span', { class: 'brand-name' }, brand.name)
  const logo = httpsAddress(brand.logo)
  allowImagesFrom(logo)
  if (logo) place?.replaceChildren(logoImage(logo, name, brand.name))
  else place?.replaceChildren(name)
}

/** The cards of `style.css`, the only surfaces that accents stand on. */
const surfaces = { light: '#ffffff', dark: '#16181d' }
const defaultColor = '#3157d5'

function logoImage(logo: URL, instead: Node, alt: string): HTMLElement {
  return element('img', {
    class: 'brand-logo',
    src: logo.href,
    alt,
    referrerpolicy: 'no-referrer',
    error: (event) => (event.target as Element).replaceWith(instead),
  })
}

/** Any other scheme could carry a script or a document of its own. */
function httpsAddress(text: string | null): URL | null {
  const address = text === null ? null : URL.parse(text)
  return address?.protocol === 'https:' ? address : null
}

/** From here on the page may ask no other server than the logo's for a picture. */
function allowImagesFrom(logo: URL | null): void {
  const content = `img-src data: ${logo?.origin ?? ''}`
  document.head.append(element('meta', { 'http-equiv': 'Content-Security-Policy', content }))
}
