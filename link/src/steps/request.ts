import { type Api, type Field, Refusal } from '../api.ts'
import { element } from '../element.ts'
import type { View } from '../stage.ts'
import { kindOf } from '../words.ts'
import { faultOf, fieldRow } from './field.ts'
import { notice } from './notice.ts'

/** Asks for an integration that there is not yet. */
export function requestStep(step: {
  api: Api
  name: string
  integrationType: string
  back(): void
  show(view: View): void
}): View {
  const rows = fields.map((field) => ({ field, ...fieldRow(field, 'shown') }))
  const input = (key: string) => rows.find(({ field }) => field.key === key)!.input
  input('integration_name').value = step.name
  const problem = element('div', { class: 'problem' })

  const button = element('button', { type: 'submit', class: 'primary' }, 'Send')
  const form = element(
    'form',
    { novalidate: true, submit: (event) => void submit(event) },
    problem,
    ...rows.map(({ row }) => row),
    element('div', { class: 'actions' }, button),
  )

  async function submit(event: Event) {
    event.preventDefault()
    if (form.getAttribute('aria-busy') === 'true') return
    problem.replaceChildren()
    const faulty = rows.filter(({ field, input, setFault }) => {
      const fault = faultOf(field, input.value)
      setFault(fault)
      return fault !== null
    })
    if (faulty[0]) return faulty[0].input.focus()
    const given = rows.flatMap(({ input }) => (input.value.trim() ? [[input.name, input.value.trim()]] : []))
    setBusy(true)
    const request = { integration_type: step.integrationType, flows: ['not_sure'], ...Object.fromEntries(given) }
    try {
      await step.api.requestIntegration(request)
      step.show(thanks(input('integration_name').value.trim(), step.back))
    } catch (error) {
      setBusy(false)
      if (!(error instanceof Refusal)) throw error
      const box = notice('problem', error.message, 'Your request was not sent. Try again in a moment.')
      problem.replaceChildren(box)
      box.focus()
    }
  }

  function setBusy(busy: boolean) {
    form.setAttribute('aria-busy', String(busy))
    button.setAttribute('aria-disabled', String(busy))
    button.textContent = busy ? 'Sending…' : 'Send'
    for (const { input } of rows) input.readOnly = busy
  }

  return {
    title: 'Ask for an integration',
    back: step.back,
    body: [element('p', { class: 'lead' }, `Tell us which ${kindOf(step.integrationType)} you use.`), form],
  }
}

const thanks = (name: string, back: () => void): View => ({
  title: 'Thank you',
  mark: 'success',
  body: [
    element('p', { class: 'lead' }, `Your request for ${name} has been passed on.`),
    element(
      'div',
      { class: 'actions' },
      element('button', { type: 'button', class: 'secondary', click: back }, 'Back to the list'),
    ),
  ],
})

const fields: Field[] = [
  {
    key: 'integration_name',
    kind: 'text',
    label: 'Name of the system',
    help: 'As its maker calls it.',
    optional: false,
  },
  {
    key: 'api_docs_url',
    kind: 'url',
    label: 'Its API documentation',
    help: 'The address, if you have it.',
    optional: true,
  },
  {
    key: 'notes',
    kind: 'text',
    label: 'Anything else',
    help: 'What you would like to do with it, or whom to ask.',
    optional: true,
  },
]
