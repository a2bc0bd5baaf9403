/** Whether what a property or parameter of this name holds must not be shown, as with `api_key`; not so `next_token`. */
export function isSecretName(name: string): boolean {
  const known = judged.get(name)
  if (known !== undefined) return known
  const plain = name.toLowerCase().replace(/[^a-z]/g, '')
  const secret = secretWord.test(plain) && !placeInList.test(plain)
  if (judged.size < 10_000) judged.set(name, secret)
  return secret
}

/** What is shown in place of a secret. */
export const mask = '***'

const secretWord =
  /passw|passphrase|passcode|pwd|secret|token|apikey|accesskey|privatekey|authorization|authcode|credential|signature|session|cookie|^auth$|^x?key$|^sig$/
const placeInList = /^(page|next)token$/

/** Names repeat; each is judged once. */
const judged = new Map<string, boolean>()
