import { element, icon, icons } from './element.ts'

/** One screen of the page. */
export interface View {
  title: string
  body: (Node | null)[]
  /** A sign above the title. */
  mark?: 'success' | 'stop'
  /** Leads to the screen before. */
  back?: (() => void) | null
  /** Takes the focus; the heading where nothing is named. */
  focus?: HTMLElement
}

/** Shows a screen: reading begins at its heading, for eyes and for screen readers. */
export function show({ title, mark, body, back = null, focus }: View): void {
  const heading = element('h1', { tabindex: -1 }, title)
  document.title = title
  const screen = element('div', { class: `screen ${mark ?? ''}` }, markOf(mark), heading, ...body)
  main().replaceChildren(screen)
  main().removeAttribute('aria-busy')
  backPlace().replaceChildren(
    ...(back
      ? [element('button', { type: 'button', class: 'quiet', 'aria-label': 'Back', click: back }, icon(icons.back))]
      : []),
  )
  window.scrollTo(0, 0)
  ;(focus ?? heading).focus({ preventScroll: true })
  if (focus) announce(title)
}

/** While something is fetched. */
export function wait(text: string): void {
  main().setAttribute('aria-busy', 'true')
  main().replaceChildren(element('p', { class: 'waiting' }, text))
  backPlace().replaceChildren()
}

/** Says a text to screen readers without moving the focus; the same text twice is said twice. */
export function announce(text: string): void {
  const place = document.querySelector('#announcements')!
  place.textContent = ''
  requestAnimationFrame(() => {
    place.textContent = text
  })
}

/** Offers to leave, with the button and with Escape. */
export function offerClosing(close: () => void): void {
  document
    .querySelector('#close')!
    .replaceChildren(
      element('button', { type: 'button', class: 'quiet', 'aria-label': 'Close', click: close }, icon(icons.close)),
    )
  addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && !event.defaultPrevented) close()
  })
}

const markOf = (mark: View['mark']) =>
  mark ? element('div', { class: 'mark' }, icon(mark === 'success' ? icons.check : icons.alert)) : null

const main = () => document.querySelector('main')!
const backPlace = () => document.querySelector('#back')!
