import type { FastifyReply, FastifyRequest } from 'fastify'
import { keepable } from '../keepable.ts'
import { mask } from '../secret-names.ts'
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
  const without = withoutOf(request)
  const known = [...credentialsOf(request), ...textsOf(request.body, without)].filter(isLongEnough)
  const { url, params } = request.meant ?? { url: request.routeOptions.url!, params: request.params }
  const pathParams = Object.entries(params ?? {}).map(([name, value]) => (without.includes(name) ? mask : value))
  const failure = reply.statusCode >= 400 ? failureOf(seen.payload) : null
  const idempotencyKey = request.headers['idempotency-key']
  return {
    requestId: request.id,
    organizationId: request.organizationId,
    connection: seen.connection,
    requestTime: new Date(seen.now.getTime() - reply.elapsedTime),
    method: request.method,
    path: url.replace(/:\w+/g, '<path_param>'),
    pathParam: pathParams.length > 0 ? keepable(maskedText(pathParams.join('/'), known)) : null,
    statusCode: reply.statusCode,
    error: failure && keepable(maskedText(failure.error, known)),
    errorOrigin: failure?.origin ?? null,
    durationMs: Math.round(reply.elapsedTime),
    idempotencyKey: typeof idempotencyKey === 'string' ? keepable(maskedText(idempotencyKey, known)) : null,
    queryParams: maskedJson(seen.query ?? {}, known),
    requestBody:
      request.body === undefined || request.body === null ? null : bodyText(leaveOut(request.body, without), known),
    integrationRequestBodies: `[${seen.calls.map((call) => callText(call, known)).join(',')}]`,
  }
}

const withoutOf = ({ routeOptions: { config } }: FastifyRequest): readonly string[] =>
  typeof config.logged === 'object' ? config.logged.without : []

/** What stands in the fields that are left out must not come back in what was sent onward. */
function textsOf(body: unknown, without: readonly string[]): string[] {
  if (typeof body !== 'object' || body === null) return []
  const texts = without.map((name) => (body as Record<string, unknown>)[name])
  return texts.filter((text) => typeof text === 'string')
}

function leaveOut(body: unknown, without: readonly string[]): unknown {
  if (without.length === 0 || typeof body !== 'object' || body === null) return body
  const fields = Object.entries(body).map(([name, value]) => [name, without.includes(name) ? mask : value])
  return Object.fromEntries(fields)
}

function callText({ url, method, body }: OnwardCall, known: readonly string[]): string {
  const head = maskedJson({ url, method }, known)
  return `${head.slice(0, -1)},"body":${body === null ? 'null' : bodyText(body, known)}}`
}

/** A longer body becomes `{truncated, bytes}`: the beginning of its JSON text, and how long the whole was. */
function bodyText(body: unknown, known: readonly string[]): string {
  if (reaches(body, deepest)) return JSON.stringify(`(nested deeper than ${deepest} levels)`)
  const text = maskedJson(body, known)
  if (text.length * 3 <= longestBody) return text
  const bytes = Buffer.from(text)
  if (bytes.length <= longestBody) return text
  // the decoder leaves out a character that was cut in two
  const beginning = new TextDecoder().decode(bytes.subarray(0, longestBody), { stream: true })
  return JSON.stringify({ truncated: `${beginning}…`, bytes: bytes.length })
}

const longestBody = 64 * 1024
/** Deeper bodies are refused, and could end whatever walks them. */
const deepest = 64

const reaches = (value: unknown, levels: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((inner) => reaches(inner, levels - 1)))

/** The caller's own keys, which may stand anywhere by mistake. */
const credentialsOf = ({ headers }: FastifyRequest) =>
  [headers['x-service-api-key'], headers['x-service-access-token']].filter((secret) => typeof secret === 'string')

/** Shorter ones would mask parts of ordinary words. */
const isLongEnough = ({ length }: string) => length >= 8

function failureOf(payload: unknown): { error: string; origin: string | null } | null {
  if (typeof payload !== 'string') return null
  try {
    const { error, origin } = JSON.parse(payload)
    return typeof error === 'string' ? { error, origin: typeof origin === 'string' ? origin : null } : null
  } catch {
    return null
  }
}
