/**
 * The JSON text of a value without secrets: properties named like one are masked whatever they hold, and so is
 * everything that looks like one of our own keys and tokens, or is one of `known`, wherever it stands.
 */
export function maskedJson(value: unknown, known: readonly string[]): string {
  const text = JSON.stringify(value, (key, inner) => (inner != null && isSecretName(key) ? MASK : inner))
  return maskedText(text ?? 'null', known)
}

/** Free text without our own keys and tokens, and without `known`. */
export function maskedText(text: string, known: readonly string[]): string {
  const masked = ownSecret.test(text) ? text.replace(ownSecrets, MASK) : text
  return known.reduce((rest, secret) => (rest.includes(secret) ? rest.replaceAll(secret, MASK) : rest), masked)
}

const MASK = '***'
const ownSecret = /\b(?:sk|rk|at|lt|ac|op|wh|whsec)_[\w+/=-]{16,}/
const ownSecrets = new RegExp(ownSecret, 'g')
const secretWord =
  /passw|passphrase|passcode|pwd|secret|apikey|accesskey|privatekey|authorization|authcode|credential|signature|cookie|^auth$|token$/
const pageWord = /^(page|next)token$/

const judged = new Map<string, boolean>()

/** Names repeat; each is judged once. */
function isSecretName(name: string): boolean {
  const known = judged.get(name)
  if (known !== undefined) return known
  const plain = name.toLowerCase().replace(/[^a-z]/g, '')
  const secret = secretWord.test(plain) && !pageWord.test(plain)
  if (judged.size < 10_000) judged.set(name, secret)
  return secret
}
