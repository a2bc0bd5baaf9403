import { randomUUID } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { type ApiError, errors } from '../errors.ts'

/** Answers what Node refuses before there is a request: bytes that are not HTTP, a header too large, a body too late. */
export function answerClientError(fault: Error & { code?: string }, socket: Socket): void {
  if (fault.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  const { status, body } = errorOf(fault.code)
  const answer = JSON.stringify(body)
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(answer)}`,
    `x-request-id: ${randomUUID()}`,
    'connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${answer}`)
}

function errorOf(code: string | undefined): ApiError {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return errors.requestTooSlow()
  return code === 'HPE_HEADER_OVERFLOW' ? errors.headersTooLarge() : errors.badRequest('This is not an HTTP request')
}
