import { isSecretName, mask } from '../secret-names.ts'

/**
 * The JSON text of a value without secrets: properties named like one are masked whatever they hold, and so is
 * everything that looks like one of our own keys and tokens, or is one of `known`, wherever it stands in texts and names.
 */
export function maskedJson(value: unknown, known: readonly string[]): string {
  const text = JSON.stringify(value, (key, inner) => (inner != null && isSecretName(key) ? mask : inner)) ?? 'null'
  return mayHoldSecret(text, known) ? JSON.stringify(maskedTexts(JSON.parse(text), known)) : text
}

/** Free text without our own keys and tokens, secret parameters of addresses, and without `known`. */
export function maskedText(text: string, known: readonly string[]): string {
  const shown = text.replace(parameters, (whole, name) => (isSecretName(name) ? `${whole[0]}${name}=${mask}` : whole))
  const masked = ownSecret.test(shown) ? shown.replace(ownSecrets, mask) : shown
  return known.reduce((rest, secret) => (rest.includes(secret) ? rest.replaceAll(secret, mask) : rest), masked)
}

const parameters = /[?&]([\w.-]+)=[^&\s"'#\\]+/g
const ownSecret = /\b(?:sk|rk|at|lt|ac|op|wh|whsec)_[\w+/=-]{16,}/
const ownSecrets = new RegExp(ownSecret, 'g')

/** A quick look at the whole, since most requests hold none. Says yes too often, as texts are escaped here. */
const mayHoldSecret = (json: string, known: readonly string[]) =>
  anyParameter.test(json) || anySecret.test(json) || known.some((secret) => holds(json, secret))

const anyParameter = /[?&][\w.-]+=/
const anySecret = /(?:sk|rk|at|lt|ac|op|wh|whsec)_[\w+/=-]{16}/

const holds = (json: string, text: string) =>
  text.length <= json.length && json.includes(JSON.stringify(text).slice(1, -1))

function maskedTexts(value: unknown, known: readonly string[]): unknown {
  if (typeof value === 'string') return maskedText(value, known)
  if (Array.isArray(value)) return value.map((each) => maskedTexts(each, known))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [maskedText(name, known), maskedTexts(each, known)]),
  )
}
