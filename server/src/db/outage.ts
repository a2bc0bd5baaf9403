/** Whether a statement failed because the database cannot be reached, is starting or is stopping. */
export function isOutage(error: unknown): boolean {
  const { code, message } = error as { code?: unknown; message?: unknown }
  return typeof code === 'string' ? codes.test(code) : typeof message === 'string' && messages.test(message)
}

/** Of the system, and of PostgreSQL: connection exceptions, and servers that shut down or start. */
const codes = /^(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|08...|57P0[1-3])$/
/** Of the driver, where it gives no code. */
const messages =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error)/
