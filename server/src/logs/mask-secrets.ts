import { isSecretName } from '../secret-names.ts'

/**
 * The JSON text of a value without secrets: properties named like one are masked whatever they hold, and so is
 * everything that looks like one of our own keys and tokens, or is one of `known`, wherever it stands.
 */
export function maskedJson(value: unknown, known: readonly string[]): string {
  const text = JSON.stringify(value, (key, inner) => (inner != null && isSecretName(key) ? MASK : inner))
  return maskedText(text ?? 'null', known)
}

/** Free text without our own keys and tokens, secret parameters of addresses, and without `known`. */
export function maskedText(text: string, known: readonly string[]): string {
  const shown = text.replace(parameters, (whole, name) => (isSecretName(name) ? `${whole[0]}${name}=${MASK}` : whole))
  const masked = ownSecret.test(shown) ? shown.replace(ownSecrets, MASK) : shown
  return known.reduce((rest, secret) => (rest.includes(secret) ? rest.replaceAll(secret, MASK) : rest), masked)
}

export const MASK = '***'
const parameters = /[?&]([\w.-]+)=[^&\s"'#\\]+/g
const ownSecret = /\b(?:sk|rk|at|lt|ac|op|wh|whsec)_[\w+/=-]{16,}/
const ownSecrets = new RegExp(ownSecret, 'g')
