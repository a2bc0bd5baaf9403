import type { Integration, Session } from '../api.ts'
import { element, icon, icons } from '../element.ts'
import { announce, type View } from '../stage.ts'
import { initialsOf, kindOf } from '../words.ts'

/** Search and pick. `search` keeps what was typed for when one comes back. */
export function pickStep(step: {
  session: Session
  integrationType: string
  search: { text: string }
  onPick(integration: Integration): void
  onMissing: ((name: string) => void) | null
}): View {
  const { session, search } = step
  const kind = kindOf(step.integrationType)
  const results = element('div', { class: 'results' })
  const input = element('input', {
    id: 'search',
    type: 'search',
    value: search.text,
    placeholder: 'Search by name',
    autocomplete: 'off',
    spellcheck: 'false',
    input: () => {
      search.text = input.value
      announce(countOf(list()))
    },
  })

  /** @returns how many are shown */
  function list(): number {
    const found = session.integrations.filter((each) => matches(each, search.text))
    if (found.length > 0) results.replaceChildren(element('ul', { class: 'choices' }, ...found.map(choice)))
    else results.replaceChildren(nothing())
    return found.length
  }

  const choice = (integration: Integration) =>
    element(
      'li',
      {},
      element(
        'button',
        { type: 'button', class: 'choice', click: () => step.onPick(integration) },
        element('span', { class: 'monogram', 'aria-hidden': 'true' }, initialsOf(integration.display_name)),
        element(
          'span',
          { class: 'choice-text' },
          element('span', { class: 'choice-name' }, integration.display_name),
          element('span', { class: 'choice-about' }, integration.description),
        ),
        icon(icons.next),
      ),
    )

  const nothing = () => {
    const wish = search.text.trim()
    const said = wish ? `Nothing here is called “${wish}”.` : `There is nothing to connect here yet.`
    return element(
      'div',
      { class: 'empty' },
      element('p', {}, said),
      step.onMissing &&
        element(
          'button',
          { type: 'button', class: 'secondary', click: () => step.onMissing?.(wish) },
          'Ask for an integration',
        ),
    )
  }

  list()
  return {
    title: `Connect your ${kind}`,
    focus: input,
    body: [
      element('p', { class: 'lead' }, `${session.organization.name} would like to work with the data in it.`),
      element(
        'div',
        { class: 'search' },
        element('label', { for: 'search', class: 'visually-hidden' }, `Search for your ${kind}`),
        icon(icons.search),
        input,
      ),
      results,
    ],
  }
}

const matches = (integration: Integration, text: string) =>
  text
    .toLocaleLowerCase()
    .split(/\s+/)
    .every((word) => `${integration.display_name} ${integration.integration_name}`.toLocaleLowerCase().includes(word))

const countOf = (count: number) => (count === 0 ? 'Nothing found' : count === 1 ? '1 found' : `${count} found`)
