import { type Api, type Installed, type Integration, Refusal, type Session } from '../api.ts'
import { element } from '../element.ts'
import { announce, type View } from '../stage.ts'
import { type FieldRow, faultOf, fieldRow } from './field.ts'
import { notice } from './notice.ts'
import { exchangesOf } from './review.ts'

/** The form of an integration, and the live check of what is typed into it. */
export function credentialsStep(step: {
  session: Session
  integration: Integration
  api: Api
  back: (() => void) | null
  onInstalled(installed: Installed): void
  onStopped(refusal: Refusal): void
}): View {
  const { session, integration, api } = step
  const { fields, display_name: name } = integration
  const reinstall = session.mode === 'reinstall'
  const rows = new Map(fields.map((field): [string, FieldRow] => [field.key, fieldRow(field)]))
  const problem = element('div', { class: 'problem' })
  const button = element('button', { type: 'submit', class: 'primary' }, reinstall ? 'Reconnect' : 'Connect')
  const form = element(
    'form',
    { novalidate: true, autocomplete: 'off', submit: (event) => void submit(event) },
    problem,
    ...[...rows.values()].map(({ row }) => row),
    ...(fields.length === 0 ? exchangesOf(integration) : step.back ? [] : [whatIsExchanged(integration)]),
    element('div', { class: 'actions' }, button),
    fields.length > 0 && element('p', { class: 'assurance' }, 'What you type is checked at once and kept encrypted.'),
  )

  async function submit(event: Event) {
    event.preventDefault()
    if (form.getAttribute('aria-busy') === 'true') return
    problem.replaceChildren()
    const faults = fields.flatMap((field): [string, string][] => {
      const fault = faultOf(field, rows.get(field.key)!.input.value)
      return fault === null ? [] : [[field.key, fault]]
    })
    if (faults.length > 0) return showFaults(faults)
    setBusy(true)
    try {
      const typed = [...rows].map(([key, { input }]) => [key, input.value])
      step.onInstalled(await api.install(integration.integration_name, Object.fromEntries(typed)))
    } catch (error) {
      setBusy(false)
      if (!(error instanceof Refusal)) throw error
      showRefusal(error)
    }
  }

  function showFaults(faults: [string, string][]) {
    for (const [key, fault] of faults) rows.get(key)?.setFault(fault)
    const first = rows.get(faults[0]![0])
    first?.input.focus()
    if (faults.length > 1) announce(`${faults.length} fields need your attention`)
  }

  function showRefusal(refusal: Refusal) {
    const faults = Object.entries(refusal.fields).flatMap(([key, messages]): [string, string][] =>
      rows.has(key) && messages[0] ? [[key, messages[0]]] : [],
    )
    if (faults.length > 0) return showFaults(faults)
    if ([401, 403, 409, 410].includes(refusal.status) && refusal.origin === 'service') return step.onStopped(refusal)
    // what the system itself said stands in brackets
    const [, summary = refusal.message, detail = null] = /^(.*?) \((.*)\)$/s.exec(refusal.message) ?? []
    const box = notice('problem', summary, detail, adviceOf(refusal))
    problem.replaceChildren(box)
    box.focus()
  }

  function setBusy(busy: boolean) {
    form.setAttribute('aria-busy', String(busy))
    button.setAttribute('aria-disabled', String(busy))
    button.textContent = busy ? 'Checking…' : reinstall ? 'Reconnect' : 'Connect'
    for (const { input } of rows.values()) input.readOnly = busy
    if (busy) announce(`Checking with ${name}…`)
  }

  const first = rows.values().next().value
  return {
    title: reinstall ? `Reconnect ${name}` : `Connect ${name}`,
    back: step.back,
    ...(first && step.back && { focus: first.input }),
    body: [element('p', { class: 'lead' }, leadOf(session, integration)), form],
  }
}

function leadOf({ mode, organization }: Session, { fields, display_name, description }: Integration): string {
  if (mode === 'reinstall') {
    return `Sign in again so that ${organization.name} stays connected. The data already read stays as it is.`
  }
  if (fields.length === 0) return description
  return `Sign in so that ${organization.name} can work with your ${display_name}.`
}

const whatIsExchanged = (integration: Integration) =>
  element(
    'details',
    { class: 'where' },
    element('summary', {}, 'What will be read and written?'),
    ...exchangesOf(integration),
  )

function adviceOf({ status, origin, step }: Refusal): string {
  if (status === 0) return 'Check that you are online, then try again.'
  if (status === 429) return 'Nothing was changed.'
  if (origin !== 'integration') return 'Nothing was changed. Try again in a moment.'
  return advice[step ?? ''] ?? 'Nothing was changed. Check what you typed and try again.'
}

const advice: Record<string, string> = {
  log_in: 'Check the user name and the password or key, also for blanks at their ends, and try again.',
  reach: 'Check the address, and that the system is running and can be reached from the internet.',
  recognize: 'Check that the address is complete, as it stands in your browser when you use the system.',
}
