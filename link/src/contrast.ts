/** The colours made of a brand's colour for one surface. */
export interface Accent {
  /** Of buttons and marks; at least 3:1 against the surface. */
  fill: string
  /** Of text on `fill`; at least 4.5:1 against it. */
  onFill: string
  /** Of text and lines on the surface; at least 4.5:1 against it. */
  text: string
}

/**
 * Fits a brand's colour to a surface: as it is where it can be read, otherwise moved towards black or white until it can.
 * @param brand and surface as `#rrggbb`
 */
export function accentOn(brand: string, surface: string): Accent {
  const fill = moveUntil(brand, surface, 3)
  return {
    fill,
    onFill: contrast(fill, white) >= contrast(fill, black) ? white : black,
    text: moveUntil(fill, surface, 4.5),
  }
}

/** The contrast ratio of WCAG 2, from 1 to 21. */
export function contrast(one: string, other: string): number {
  const [lighter, darker] = [luminance(one), luminance(other)].sort((a, b) => b - a) as [number, number]
  return (lighter + 0.05) / (darker + 0.05)
}

const white = '#ffffff'
const black = '#000000'
const steps = 50

function moveUntil(colour: string, surface: string, ratio: number): string {
  const end = contrast(surface, white) >= contrast(surface, black) ? white : black
  for (let step = 0; step < steps; step++) {
    const moved = mix(colour, end, step / steps)
    if (contrast(moved, surface) >= ratio) return moved
  }
  return end
}

function mix(from: string, to: string, share: number): string {
  const target = channels(to)
  const mixed = channels(from).map((value, at) => Math.round(value + (target[at]! - value) * share))
  return `#${mixed.map((value) => value.toString(16).padStart(2, '0')).join('')}`
}

function luminance(colour: string): number {
  const [red, green, blue] = channels(colour).map((value) => {
    const part = value / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  }) as [number, number, number]
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

const channels = (colour: string) => [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16))
