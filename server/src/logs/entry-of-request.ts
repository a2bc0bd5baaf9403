import type { FastifyReply, FastifyRequest } from 'fastify'
import type { LoggedConnection, NewEntry } from './api-log.ts'
import { maskedJson, maskedText } from './mask-secrets.ts'
import type { OnwardCall } from './onward-calls.ts'

/** What of a request and its answer goes into the log: no header but the idempotency key, and no secret. */
export function entryOfRequest(
  request: FastifyRequest,
  reply: FastifyReply,
  seen: {
    now: Date
    connection: LoggedConnection | null
    /** As it was sent, before validation. */
    query: unknown
    calls: readonly OnwardCall[]
    payload: unknown
  },
): NewEntry {
  const known = credentialsOf(request)
  const params = Object.values(request.params ?? {}) as string[]
  const failure = reply.statusCode >= 400 ? failureOf(seen.payload) : null
  const idempotencyKey = request.headers['idempotency-key']
  return {
    requestId: request.id,
    organizationId: request.organizationId,
    connection: seen.connection,
    requestTime: new Date(seen.now.getTime() - reply.elapsedTime),
    method: request.method,
    path: request.routeOptions.url!.replace(/:\w+/g, '<path_param>'),
    pathParam: params.length > 0 ? kept(maskedText(params.join('/'), known)) : null,
    statusCode: reply.statusCode,
    error: failure && kept(maskedText(failure.error, known)),
    errorOrigin: failure?.origin ?? null,
    durationMs: Math.round(reply.elapsedTime),
    idempotencyKey: typeof idempotencyKey === 'string' ? kept(maskedText(idempotencyKey, known)) : null,
    queryParams: maskedJson(seen.query ?? {}, known),
    requestBody: request.body === undefined || request.body === null ? null : bodyText(bodyOf(request), known),
    integrationRequestBodies: `[${seen.calls.map((call) => callText(call, known)).join(',')}]`,
  }
}

/** The fields of a form; what was uploaded is named, not kept. */
function bodyOf({ body, headers }: FastifyRequest): unknown {
  if (!headers['content-type']?.startsWith('multipart/')) return body
  const fields = Object.entries(body as object).map(([name, value]) => {
    const isText = typeof value === 'string' && value.length <= longestBody
    return [name, isText ? value : '(file)']
  })
  return Object.fromEntries(fields)
}

function callText({ url, method, body }: OnwardCall, known: readonly string[]): string {
  const head = maskedJson({ url, method }, known)
  return `${head.slice(0, -1)},"body":${body === null ? 'null' : bodyText(body, known)}}`
}

/** A longer body becomes `{truncated, bytes}`: the beginning of its JSON text, and how long the whole was. */
function bodyText(body: unknown, known: readonly string[]): string {
  const text = maskedJson(body, known)
  if (text.length * 3 <= longestBody) return text
  const bytes = Buffer.from(text)
  if (bytes.length <= longestBody) return text
  // the decoder leaves out a character that was cut in two
  const beginning = new TextDecoder().decode(bytes.subarray(0, longestBody), { stream: true })
  return JSON.stringify({ truncated: `${beginning}…`, bytes: bytes.length })
}

const longestBody = 64 * 1024

/** The caller's own keys, which may stand anywhere by mistake. */
function credentialsOf({ headers }: FastifyRequest): string[] {
  return [headers['x-service-api-key'], headers['x-service-access-token']].filter(
    (secret): secret is string => typeof secret === 'string' && secret.length >= 8,
  )
}

function failureOf(payload: unknown): { error: string; origin: string | null } | null {
  if (typeof payload !== 'string') return null
  try {
    const { error, origin } = JSON.parse(payload)
    return typeof error === 'string' ? { error, origin: typeof origin === 'string' ? origin : null } : null
  } catch {
    return null
  }
}

/** PostgreSQL keeps neither NUL nor halves of surrogate pairs. */
const kept = (text: string) => text.toWellFormed().replaceAll('\0', '\uFFFD')
