import type { Field } from '../api.ts'
import { element } from '../element.ts'

/** An input with its label, where its value is found, and room for what is wrong with it. */
export interface FieldRow {
  row: HTMLElement
  input: HTMLInputElement
  /** Shows a fault, or takes it away. */
  setFault(message: string | null): void
}

export function fieldRow(field: Field, help: 'folded' | 'shown' = 'folded'): FieldRow {
  const id = `field-${field.key}`
  const secret = field.kind === 'secret'
  const fault = element('p', { id: `${id}-fault`, class: 'fault', hidden: true })
  const input = element('input', {
    id,
    name: field.key,
    type: secret ? 'password' : 'text',
    inputmode: field.kind === 'url' ? 'url' : false,
    placeholder: field.kind === 'url' ? 'https://' : false,
    autocomplete: 'off',
    autocapitalize: 'off',
    spellcheck: 'false',
    required: !field.optional,
    input: () => setFault(null),
  })
  const setFault = (message: string | null) => {
    fault.textContent = message
    fault.hidden = message === null
    if (message === null) input.removeAttribute('aria-invalid')
    else input.setAttribute('aria-invalid', 'true')
    const descriptions = [message !== null && fault.id, help === 'shown' && `${id}-help`].filter(Boolean)
    if (descriptions.length > 0) input.setAttribute('aria-describedby', descriptions.join(' '))
    else input.removeAttribute('aria-describedby')
  }
  setFault(null)
  const row = element(
    'div',
    { class: 'field' },
    element('label', { for: id }, field.label, field.optional && element('span', { class: 'muted' }, ' (optional)')),
    secret ? element('div', { class: 'secret' }, input, revealButton(field, input)) : input,
    fault,
    help === 'shown' ? element('p', { id: `${id}-help`, class: 'help' }, field.help) : whereToFind(field),
  )
  return { row, input, setFault }
}

/** What can be seen wrong before asking the server; what was typed counts as the server will take it. */
export function faultOf({ kind, optional }: Field, typed: string): string | null {
  const value = kind === 'secret' ? typed : typed.trim()
  if (value === '') return optional ? null : 'Fill this in.'
  if (kind !== 'url') return null
  return /^https?:$/.test(URL.parse(value)?.protocol ?? '') ? null : 'Enter an address that begins with https://'
}

const whereToFind = (field: Field) =>
  element(
    'details',
    { class: 'where' },
    element('summary', {}, 'Where do I find this?', element('span', { class: 'visually-hidden' }, ` (${field.label})`)),
    element('p', {}, field.help),
  )

function revealButton({ label }: Field, input: HTMLInputElement): HTMLElement {
  const button = element(
    'button',
    {
      type: 'button',
      class: 'reveal',
      'aria-label': `Show ${label}`,
      'aria-pressed': 'false',
      click: () => {
        const shown = input.type === 'password'
        input.type = shown ? 'text' : 'password'
        button.setAttribute('aria-pressed', String(shown))
        button.textContent = shown ? 'Hide' : 'Show'
      },
    },
    'Show',
  )
  return button
}
