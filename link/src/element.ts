type Child = Node | string | null | false | undefined
type Properties = Record<string, string | number | boolean | null | undefined | ((event: Event) => void)>

/**
 * Builds an element. Functions are listeners of the event they are named after, `true` is an attribute without value,
 * `false` and null leave one out. Texts become text nodes, so nothing that is shown can become markup.
 */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  properties: Properties = {},
  ...children: Child[]
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag)
  for (const [name, value] of Object.entries(properties)) {
    if (typeof value === 'function') made.addEventListener(name, value)
    else if (value !== false && value !== null && value !== undefined) {
      made.setAttribute(name, value === true ? '' : String(value))
    }
  }
  made.append(...children.filter((child) => child !== null && child !== undefined && child !== false))
  return made
}

/** A line drawing of 20 by 20, for the eye alone. */
export function icon(path: string): SVGSVGElement {
  const svg = document.createElementNS(svgSpace, 'svg')
  const line = document.createElementNS(svgSpace, 'path')
  for (const [name, value] of Object.entries({ viewBox: '0 0 20 20', 'aria-hidden': 'true', class: 'icon' })) {
    svg.setAttribute(name, value)
  }
  line.setAttribute('d', path)
  svg.append(line)
  return svg
}

const svgSpace = 'http://www.w3.org/2000/svg'

export const icons = {
  back: 'M12 4.5 6.5 10l5.5 5.5',
  close: 'm5 5 10 10M15 5 5 15',
  next: 'M8 4.5 13.5 10 8 15.5',
  check: 'm4.5 10.5 3.5 3.5 7.5-8',
  alert: 'M10 2.75a7.25 7.25 0 1 1 0 14.5 7.25 7.25 0 0 1 0-14.5ZM10 6.5v4.25M10 13.25v.25',
  search: 'M9 3.5a5.5 5.5 0 1 1 0 11 5.5 5.5 0 0 1 0-11Zm4 9.5 4 4',
  read: 'M10 3v9m0 0 3.5-3.5M10 12 6.5 8.5M4 16.5h12',
  write: 'M10 12.5v-9m0 0L6.5 7M10 3.5 13.5 7M4 16.5h12',
}
