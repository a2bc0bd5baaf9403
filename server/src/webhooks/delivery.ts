import { setTimeout as wait } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Db } from '../db/schema.ts'
import type { NetworkGuard } from '../network/guard.ts'
import type { Vault } from '../secrets.ts'
import { attempt, type Cancel, type Outcome } from './attempt.ts'
import { deliveriesChannel } from './channel.ts'
import { type Claim, claimDue } from './claim.ts'
import { signingKeys } from './endpoint-secret.ts'
import { type MessageParts, messageBody } from './message.ts'
import { Pace, type PaceLimits } from './pace.ts'
import { retrySchedule } from './retry-schedule.ts'
import { type Settlement, settle } from './settle.ts'
import { signedHeaders } from './signature.ts'
import { listen } from './wake.ts'

export interface DeliveryOptions extends MessageParts {
  db: Db
  /** Of the same database; for the connection that listens. */
  url: string
  vault: Vault
  guard: NetworkGuard
  log: Logger
  now?: () => Date
  /** Milliseconds after the first attempt, beginning with 0. */
  schedule?: readonly number[]
  limits?: Partial<PaceLimits>
  /** For one attempt, from connecting to the answer. */
  timeoutMs?: number
  /** What a killed worker had in hand is sent by another after at most this long and one poll. */
  leaseMs?: number
  pollMs?: number
  /** How long deliveries under way may go on after `stop`. */
  graceMs?: number
}

export interface Delivery {
  /** Deliveries under way. */
  readonly running: number
  /** Lets deliveries under way finish for a while, hands the others back, and resolves when all is written. */
  stop(): Promise<void>
}

/** Sends what is due until stopped. Any number of processes run over one database; the limits are each one's own. */
export function startDelivery(options: DeliveryOptions): Delivery {
  const { db, log, now = () => new Date(), schedule = retrySchedule } = options
  const { timeoutMs = 15_000, leaseMs = timeoutMs + 15_000, pollMs = 500, graceMs = 5_000 } = options
  const limits = { slots: 512, perEndpoint: 10, perEndpointPerSecond: 100, ...options.limits }
  const pace = new Pace(limits)
  const keyOf = signingKeys(options.vault)
  const stopping = new AbortController()
  const cancel: Cancel = new Set()
  const finished: Settlement[] = []
  let awake = false
  let wake = () => {
    awake = true
  }

  async function run(claim: Claim) {
    const outcome = await send(options, claim, keyOf, timeoutMs, cancel, now())
    finished.push({ claim, outcome })
    wake()
  }

  async function settleFinished() {
    const batch = finished.slice()
    if (batch.length === 0) return
    const disabled = await settle(db, batch, schedule, now())
    finished.splice(0, batch.length)
    for (const { claim, outcome } of batch) {
      pace.end(claim.endpointId, outcome?.succeeded ?? true, outcome?.retryAfterMs ?? 0, now().getTime())
    }
    wake()
    for (const { id, reason } of disabled) log.warn({ endpointId: id, reason }, 'webhook endpoint disabled')
  }

  async function claim() {
    if (pace.freeSlots === 0) return
    const at = now()
    const claims = await claimDue(db, pace.freeSlots, pace.allowances(at.getTime()), at, leaseMs)
    for (const claim of claims) {
      pace.begin(claim.endpointId, at.getTime())
      void run(claim)
    }
  }

  async function sleep(ms: number) {
    if (!awake) {
      const { promise, resolve } = Promise.withResolvers<void>()
      const timer = setTimeout(resolve, ms)
      wake = () => {
        awake = true
        resolve()
      }
      await promise
      clearTimeout(timer)
    }
    awake = false
  }

  const listener = listen(options.url, deliveriesChannel, () => wake(), log)

  const loop = (async () => {
    while (!stopping.signal.aborted) {
      try {
        const [settled, claimed] = await Promise.allSettled([settleFinished(), claim()])
        if (settled.status === 'rejected') throw settled.reason
        if (claimed.status === 'rejected') throw claimed.reason
      } catch (error) {
        log.error({ err: error }, 'webhook deliveries wait for the database')
        await wait(1000, undefined, { signal: stopping.signal }).catch(() => {})
      }
      await sleep(pollMs)
    }
    const graceEnds = setTimeout(() => {
      for (const end of cancel) end()
    }, graceMs)
    while (pace.inFlight > finished.length) await sleep(pollMs)
    clearTimeout(graceEnds)
    await settleFinished().catch((error) => log.error({ err: error }, 'the last deliveries will be sent again'))
  })()

  return {
    get running() {
      return pace.inFlight
    },
    async stop() {
      stopping.abort()
      wake()
      await listener.close()
      await loop
    },
  }
}

async function send(
  options: DeliveryOptions,
  claim: Claim,
  keyOf: ReturnType<typeof signingKeys>,
  timeoutMs: number,
  cancel: Cancel,
  now: Date,
): Promise<Outcome | null> {
  try {
    const body = await messageBody(options, { ...claim, id: claim.eventId, type: claim.eventType })
    const keys = [claim.secretSealed, ...claim.retiredSecretsSealed].map((secret) => keyOf(claim.endpointId, secret))
    const headers = {
      'content-type': 'application/json',
      'user-agent': 'Crossdock-Webhooks/1.0',
      ...signedHeaders(claim.eventId, now, body, keys),
    }
    return await attempt(options.guard, { url: claim.url, headers, body }, timeoutMs, cancel, now)
  } catch (error) {
    options.log.error({ err: error, eventId: claim.eventId, endpointId: claim.endpointId }, 'message not made')
    const failure = { attempted_at: now.toISOString(), status_code: null, answer: '', duration_ms: 0 }
    return { ...failure, error: 'Something went wrong on our side', succeeded: false, gone: false, retryAfterMs: 0 }
  }
}
