import { pipeline, type Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { type Dispatcher, request } from 'undici'
import { IntegrationError } from './fault.ts'
import type { HttpAnswer } from './http.ts'

export interface Attempt {
  url: URL
  method: Dispatcher.HttpMethod
  headers: Record<string, string>
  body: string | null
  dispatcher: Dispatcher
  /** Until the whole answer is read. */
  timeoutMs: number
  signal: AbortSignal | undefined
}

/**
 * Sends a request once and reads the whole answer, whatever its status. Rejects with `AttemptTimeout`, the signal's
 * reason, an `IntegrationError` for an unreadable answer, or the network's error as it came.
 */
export async function attempt(options: Attempt): Promise<HttpAnswer> {
  const { url, timeoutMs, signal, ...sent } = options
  const ending = new AbortController()
  const { promise: ended, reject } = Promise.withResolvers<never>()
  // undici hears of an abort only once it is connected; the caller shall not have to wait for that.
  const end = (reason: unknown) => {
    ending.abort(reason)
    reject(reason)
  }
  const onAbort = () => end(signal?.reason)
  const timer = setTimeout(() => end(new AttemptTimeout(timeoutMs)), timeoutMs)
  signal?.addEventListener('abort', onAbort, { once: true })
  try {
    return await Promise.race([exchange(url, { ...sent, signal: ending.signal }), ended])
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', onAbort)
  }
}

export class AttemptTimeout extends Error {
  constructor(timeoutMs: number) {
    super(`The system did not answer within ${timeoutMs / 1000} s`)
    this.name = 'AttemptTimeout'
  }
}

async function exchange(url: URL, options: Parameters<typeof request>[1]): Promise<HttpAnswer> {
  const response = await request(url, options)
  const headers = new Headers()
  for (const [name, value] of Object.entries(response.headers)) {
    for (const each of [value ?? []].flat()) headers.append(name, each)
  }
  const status = response.statusCode
  const text = await readText(decoded(response.body, headers.get('content-encoding')), status)
  return { status, headers, body: parse(text, headers.get('content-type') ?? '', status) }
}

async function readText(stream: Readable, status: number): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of stream) {
    size += chunk.length
    if (size > largestBodyBytes) {
      throw new IntegrationError('invalid_response', 'The answer of the system is larger than 32 MiB', { status })
    }
    chunks.push(chunk)
  }
  return new TextDecoder().decode(Buffer.concat(chunks))
}

function parse(text: string, contentType: string, status: number): unknown {
  if (text === '') return null
  if (!/^[^;]*\bjson\b/i.test(contentType)) return text
  try {
    return JSON.parse(text)
  } catch (cause) {
    // What an error's status says is worth more than its broken body.
    if (status >= 300) return text
    throw new IntegrationError('invalid_response', 'The system answered with broken JSON', { status, cause })
  }
}

function decoded(body: Readable, encoding: string | null): Readable {
  const decoder = encoding ? decoders[encoding.trim().toLowerCase()]?.() : undefined
  // The reader of the decoder sees every error of both; the callback only keeps it from being thrown as well.
  return decoder ? pipeline(body, decoder, () => {}) : body
}

const decoders: Readonly<Record<string, () => ReturnType<typeof createGunzip | typeof createBrotliDecompress>>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
}

const largestBodyBytes = 32 * 1024 * 1024
