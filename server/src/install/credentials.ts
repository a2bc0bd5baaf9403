import type { FaultTree } from '../errors.ts'
import { errors } from '../errors.ts'
import type { CredentialField, Credentials, CredentialsForm } from '../integrations/define.ts'

/**
 * Reads what was typed into an integration's form. Secrets are taken as they are; addresses and texts lose surrounding
 * white space.
 * @throws ApiError 422 under `json.credentials`, naming fields and never what was typed
 */
export function readCredentials(form: CredentialsForm, typed: Readonly<Record<string, unknown>>): Credentials {
  const faults: FaultTree = Object.create(null)
  const credentials: Record<string, string> = {}
  for (const name of Object.keys(typed)) {
    if (!Object.hasOwn(form.fields, name)) faults[name] = ['Unknown field.']
  }
  for (const [name, field] of Object.entries(form.fields)) {
    const given = Object.hasOwn(typed, name) ? typed[name] : undefined
    if (given !== undefined && given !== null && typeof given !== 'string') {
      faults[name] = ['Must be a string.']
      continue
    }
    const value = field.kind === 'secret' ? (given ?? '') : (given ?? '').trim()
    const fault = faultOf(field, value)
    if (fault) faults[name] = [fault]
    else if (value !== '') credentials[name] = value
  }
  if (Object.keys(faults).length > 0) throw errors.validation({ json: { credentials: faults } })
  return credentials
}

/** The host that a connection's calls go to, by the address typed; the integration's name where none is asked for. */
export function hostOf(integration: { name: string; install: CredentialsForm }, credentials: Credentials): string {
  const field = Object.keys(integration.install.fields).find((name) => integration.install.fields[name]!.kind === 'url')
  return (field && URL.parse(credentials[field] ?? '')?.host) || integration.name
}

function faultOf(field: CredentialField, value: string): string | null {
  if (value === '') return field.optional ? null : 'This field is required.'
  if (value.length > longest) return `May have at most ${longest} characters.`
  if (field.kind !== 'url') return null
  const url = URL.parse(value)
  if (!url || !/^https?:$/.test(url.protocol)) return 'Must be an address that begins with https:// or http://.'
  if (url.username || url.password) return 'May not hold a user name or password; they have fields of their own.'
  return null
}

const longest = 10_000
