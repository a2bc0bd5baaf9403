import type { IntegrationFault } from '../fault.ts'
import type { HttpAnswer } from '../http.ts'
import { judgeByStatus } from '../http-faults.ts'

type Verdict = { fault: IntegrationFault; message: string } | null

/**
 * Reads an answer of Tryton. It tells most failures with status 200 and `error: [kind, detail]`, where `kind` is the name
 * of its exception or, when something broke inside, whatever that said: file paths and SQL too, so it is not passed on.
 */
export function judgeAnswer(answer: HttpAnswer): Verdict {
  const { status, body } = answer
  if (status === 401) return { fault: 'credentials', message: 'Tryton does not accept the session of this user' }
  if (status === 403) return { fault: 'rejected', message: 'Tryton does not offer this call; is its module activated?' }
  if (status >= 300) return judgeByStatus(answer)
  if (body === null || typeof body !== 'object' || !('result' in body || 'error' in body)) {
    return { fault: 'invalid_response', message: 'The address does not answer like a Tryton server' }
  }
  return Array.isArray(body.error) ? judgeError(body.error) : null
}

/** Reads the answer to a call that changes something: a warning waits for an OK, which is for the caller to give. */
export function judgeStep(answer: HttpAnswer): Verdict {
  const verdict = judgeAnswer(answer)
  return verdict && Array.isArray(answer.body?.error) && answer.body.error[0] === 'UserWarning' ? null : verdict
}

/** Reads the answer to a login. An unknown database is told by the path of its file, which stays here. */
export function judgeLogin(answer: HttpAnswer): Verdict {
  const { status, body } = answer
  if (status === 401) return { fault: 'credentials', message: 'Tryton refuses this user name or password' }
  if (status === 404 || status === 405 || isMissingDatabase(body)) {
    return { fault: 'rejected', message: 'Tryton has no database of this name at this address' }
  }
  // `rate_limited` would be tried again, and every further login prolongs the wait
  if (status === 429)
    return { fault: 'unavailable', message: 'Tryton refuses logins for a while, after too many failed' }
  return judgeAnswer(answer)
}

function judgeError([kind, detail]: unknown[]): Verdict {
  const [first, second] = Array.isArray(detail) ? detail.map(String) : []
  switch (kind) {
    case 'UserError':
      return { fault: isRefusal(first ?? '') ? 'permission' : 'rejected', message: first || 'Tryton refuses this' }
    case 'UserWarning':
      return { fault: 'rejected', message: second || 'Tryton warns and wants a confirmation' }
    case 'LoginException':
      return { fault: 'credentials', message: `Tryton asks this user for a further login step: ${second ?? first}` }
    case 'ConcurrencyException':
      return { fault: 'conflict', message: 'The record was changed in Tryton in the meantime' }
    default:
      return { fault: 'unavailable', message: 'Tryton failed while answering; the log of its server tells why' }
  }
}

/** Tryton tells a missing right from other errors by its text alone, in the language of the call. */
const isRefusal = (message: string) => /^(You are not allowed to |Calling button .* is not allowed)/.test(message)

const isMissingDatabase = (body: unknown) =>
  body !== null &&
  typeof body === 'object' &&
  'error' in body &&
  Array.isArray(body.error) &&
  /^Database '.*' doesn't exist/.test(String(body.error[0]))
