import { element, icon, icons } from '../element.ts'

/** Says in a box what is wrong and what to do; it can take the focus. */
export function notice(kind: 'problem' | 'caution', title: string, ...texts: (string | Node | null)[]): HTMLElement {
  return element(
    'div',
    { class: `notice ${kind}`, role: 'group', 'aria-labelledby': 'notice-title', tabindex: -1 },
    icon(icons.alert),
    element(
      'div',
      {},
      element('p', { id: 'notice-title', class: 'notice-title' }, title),
      ...texts.map((text) => (typeof text === 'string' ? element('p', {}, text) : text)),
    ),
  )
}
