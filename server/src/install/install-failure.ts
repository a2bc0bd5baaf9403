import { errors } from '../errors.ts'
import type { Credentials } from '../integrations/define.ts'
import { IntegrationError } from '../integrations/fault.ts'

/** Where an install may fail: reaching the system, logging in to it, recognizing it, or within our own integration. */
export type InstallStep = 'reach' | 'log_in' | 'recognize' | 'internal'

export interface InstallFailure {
  step: InstallStep
  /** For whoever installs and for the organization; holds nothing that was typed. */
  message: string
  /** What the caller is answered with. */
  error: Error
}

/**
 * Says in words why an install failed. What the system said is added unless it repeats something that was typed.
 * @param error whatever the integration threw
 */
export function explainFailure(displayName: string, credentials: Credentials, error: unknown): InstallFailure {
  if (!(error instanceof IntegrationError)) {
    const message = `Something went wrong on our side while connecting to ${displayName}`
    return { step: 'internal', message, error: withoutMessage(error) }
  }
  const { step, status, says } = readings[readingOf(error)]
  const detail = repeatsTyped(error.message, credentials) ? '' : ` (${error.message})`
  const message = `${says(displayName)}${detail}`
  return { step, message, error: errors.installFailed(status, step, message) }
}

const readings = {
  refused: { step: 'log_in', status: 400, says: (name: string) => `${name} does not accept these credentials` },
  forbidden: { step: 'log_in', status: 400, says: (name: string) => `This login has no permission in ${name}` },
  unreachable: { step: 'reach', status: 502, says: (name: string) => `${name} cannot be reached at this address` },
  notAllowed: { step: 'reach', status: 400, says: () => 'This address may not be reached from here' },
  busy: { step: 'reach', status: 502, says: (name: string) => `${name} is asking us to slow down; try again later` },
  timeout: { step: 'reach', status: 504, says: (name: string) => `${name} did not answer in time` },
  foreign: { step: 'recognize', status: 400, says: (name: string) => `What answers at this address is not ${name}` },
  rejected: { step: 'recognize', status: 400, says: (name: string) => `${name} rejected the request` },
} as const satisfies Record<string, { step: InstallStep; status: number; says(displayName: string): string }>

function readingOf({ fault, status }: IntegrationError): keyof typeof readings {
  switch (fault) {
    case 'credentials':
      return 'refused'
    case 'permission':
      return 'forbidden'
    case 'unavailable':
      return 'unreachable'
    case 'timeout':
      return 'timeout'
    case 'rate_limited':
      return 'busy'
    case 'not_found':
    case 'invalid_response':
      return 'foreign'
    case 'rejected':
    case 'conflict':
      // nothing answered: our own guard did
      return status === null ? 'notAllowed' : 'rejected'
  }
}

function repeatsTyped(message: string, credentials: Credentials): boolean {
  const shown = message.toLowerCase()
  return Object.values(credentials).some((value) => {
    const host = URL.parse(value)?.hostname
    return [value, encodeURIComponent(value), host].some((part) => part && shown.includes(part.toLowerCase()))
  })
}

/** A message may repeat what was typed; where it was thrown says enough to find it. */
function withoutMessage(error: unknown): Error {
  const cause = new Error(`${error instanceof Error ? error.name : typeof error} in an integration while installing`)
  if (error instanceof Error) cause.stack = `${cause.message}\n${framesOf(error)}`
  return cause
}

const framesOf = (error: Error) =>
  (error.stack ?? '')
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .join('\n')
