/** What a network error means, in words for the organization: what went wrong, not where our network leads. */
export function faultWords(error: Error): string {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    const known = words[codeOf(cause)]
    if (known) return known
  }
  const code = codeOf(error)
  if (isTlsFault(code)) return `No secure connection can be made (${code})`
  return `The connection failed (${code || 'unknown reason'})`
}

/** Whether an error code tells that no secure connection came about. */
export const isTlsFault = (code: string) => /CERT|^ERR_TLS|^ERR_SSL|^UNABLE_TO/.test(code)

const codeOf = (error: Error) => ('code' in error ? String(error.code) : '')

const words: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'The connection was refused',
  ECONNRESET: 'The connection was reset',
  EPIPE: 'The connection was reset',
  UND_ERR_SOCKET: 'The connection was closed before an answer came',
  UND_ERR_CONNECT_TIMEOUT: 'No connection within the time limit',
  ETIMEDOUT: 'No connection within the time limit',
  ENOTFOUND: 'The host name does not exist',
  EAI_AGAIN: 'The host name could not be resolved',
  EHOSTUNREACH: 'The host cannot be reached',
  ENETUNREACH: 'The host cannot be reached',
}
