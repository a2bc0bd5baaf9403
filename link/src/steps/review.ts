import type { Integration, Session } from '../api.ts'
import { element, icon, icons } from '../element.ts'
import type { View } from '../stage.ts'
import { readingOf, writingOf } from '../words.ts'

/** What the connection will read and write, before anything is typed. */
export function reviewStep(step: {
  session: Session
  integration: Integration
  back(): void
  onContinue(): void
}): View {
  const { session, integration } = step
  return {
    title: `What ${session.organization.name} will see`,
    back: step.back,
    body: [
      element('p', { class: 'lead' }, `Once connected, this is exchanged with your ${integration.display_name}.`),
      ...exchangesOf(integration),
      element(
        'div',
        { class: 'actions' },
        element('button', { type: 'button', class: 'primary', click: step.onContinue }, 'Continue'),
      ),
    ],
  }
}

/** The lists of what is read and what is written. */
export function exchangesOf({ reads, writes }: Integration): HTMLElement[] {
  return [
    exchange('Read', icons.read, reads.map(readingOf), 'Nothing is read.'),
    exchange('Written', icons.write, writes.map(writingOf), 'Nothing is changed in your system.'),
  ]
}

function exchange(name: string, path: string, entries: string[], none: string): HTMLElement {
  const list = element('ul', { class: 'tags' }, ...entries.map((entry) => element('li', {}, entry)))
  return element(
    'section',
    { class: 'exchange' },
    element('h2', {}, icon(path), name),
    entries.length > 0 ? list : element('p', { class: 'muted' }, none),
  )
}
