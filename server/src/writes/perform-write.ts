import type { FastifyBaseLogger } from 'fastify'
import { rowsOf } from '../data/record-row.ts'
import { saveWritten, type Tags } from '../data/save-written.ts'
import type { Db } from '../db/schema.ts'
import { errors, type FaultTree } from '../errors.ts'
import { addFault } from '../http/validation.ts'
import type { Idempotency } from '../idempotency/idempotency.ts'
import { type Integration, readAction, type WriteAction } from '../integrations/define.ts'
import { IntegrationError } from '../integrations/fault.ts'
import { completer } from '../resources/complete.ts'
import { urlOf } from '../resources/define-write.ts'
import { reportError, resolveErrors } from '../sync/connection-errors.ts'
import type { OpenConnection } from '../sync/open-connection.ts'
import { emit } from '../webhooks/emit.ts'
import { recordEvents } from '../webhooks/record-events.ts'
import { asksForChoices, type ChoiceChecker } from './choices.ts'
import { Effects } from './effects.ts'
import { callSystem } from './system-call.ts'

export interface WriteParts {
  db: Db
  log: FastifyBaseLogger
  now: () => Date
  /** Null when the connection is gone meanwhile. */
  open(connectionId: string): Promise<OpenConnection | null>
  /** The longest a write may take in the system behind. */
  timeLimitMs: number
  choices: ChoiceChecker
}

export interface WriteOrder {
  connectionId: string
  action: WriteAction
  /** Of the record in the path; empty where there is none. */
  id: string
  body: unknown
  /** What is wrong with the body by the action's schema; it is told with what its system does not allow. */
  faults: FaultTree | null
  /** Undefined: as they are. */
  tags: Tags | undefined
  /** Of the request, where it has a key. */
  idempotency: Idempotency | null
}

/**
 * Carries a body out in the system behind, then saves the record it answers and tells its events, so that it can
 * be read at once. Taken up again after it was cut off, it first looks what became of it.
 * @returns JSON text of the record as it is answered, and its id
 * @throws ApiError 422 for a body that is wrong or holds values the connection does not allow, 404 for an id the system does not know
 * @throws IntegrationError
 */
export async function performWrite(parts: WriteParts, order: WriteOrder): Promise<{ id: string; record: string }> {
  const opened = await parts.open(order.connectionId)
  if (!opened) throw errors.invalidAccessToken()
  const { integration, source } = opened
  const { action, idempotency } = order
  if (order.faults && !asksForChoices(action, order.body)) throw errors.validation({ json: order.faults })
  const effects = new Effects(idempotency)
  const row = await callSystem(integration, parts.timeLimitMs, async (signal) => {
    const client = await opened.connect(signal, effects.guard)
    const unlisted = await parts.choices.check(order.connectionId, action, order.body, client)
    const faults = order.faults ?? {}
    for (const { at, message } of unlisted) addFault(faults, at, message)
    if (Object.keys(faults).length > 0) throw errors.validation({ json: faults })
    const raw = await outcomeOf(integration, client, order, effects)
    const read = readAction(integration, action.resource.readAction)
    return rowsOf(action.resource)(completer(action.resource)(read.map(raw)) as Record<string, unknown>)
  }).catch(async (error) => {
    if (!(error instanceof IntegrationError)) throw error
    await noteRefusal(parts.db, opened, action, error)
    throw toldOf(error, order, parts.log)
  })
  const record = await parts.db.transaction().execute(async (trx) => {
    const { body, changed } = await saveWritten(
      trx,
      action.resource,
      order.connectionId,
      row,
      { tags: order.tags, created: order.id === '' },
      parts.now(),
    )
    if (changed) await emit(trx, source, recordEvents(action.resource, [changed]))
    await resolveErrors(trx, source, urlOf(action.write), true)
    return body
  })
  if (idempotency) idempotency.unknown = false
  return { id: row.id, record }
}

async function outcomeOf(
  integration: Integration,
  client: unknown,
  order: WriteOrder,
  effects: Effects,
): Promise<unknown> {
  const { action, id, body, idempotency } = order
  const request = { id, body, reference: idempotency?.reference ?? crypto.randomUUID() }
  if (idempotency?.recovering) {
    const found = action.find ? await action.find(client, request) : null
    if (found !== null) return found
    if (!action.find && !action.repeatable) throw errors.outcomeUnknown(integration.displayName)
  }
  return effects.run(() => action.perform(client, request))
}

/** What a person must put right is an error of the connection; anything else the caller is told, and may try again. */
async function noteRefusal(
  db: Db,
  { source, endpoints }: OpenConnection,
  { write }: WriteAction,
  error: IntegrationError,
) {
  if (error.fault !== 'credentials' && error.fault !== 'permission') return
  await db.transaction().execute((trx) => reportError(trx, source, error, urlOf(write), endpoints))
}

/** An id the system does not know is told as ours. */
function toldOf(error: IntegrationError, { action, id, faults }: WriteOrder, log: FastifyBaseLogger): unknown {
  if (error.cause !== undefined && error.fault === 'invalid_response')
    log.warn({ err: error.cause }, 'answer not understood')
  if (faults) return errors.validation({ json: faults })
  if (error.fault === 'not_found' && id !== '') {
    return errors.notFound(action.resource.singular.replaceAll('_', ' '), id)
  }
  return error
}
