import type { Account, Credentials } from '../define.ts'
import { IntegrationError } from '../fault.ts'
import type { CallOptions, HttpAnswer, HttpClient, IntegrationHttp } from '../http.ts'
import { judgeAnswer, judgeLogin, judgeStep } from './judge.ts'
import { type ModelFields, type Session, type SessionKey, Sessions, type TrytonContext } from './sessions.ts'
import { Turns } from './turns.ts'
import { plain } from './values.ts'

const sessions = new Sessions()
const turns = new Turns()

/** A condition of a search, in Tryton's notation: `['state', '=', 'done']`, or a list of them led by `'OR'`. */
export type Domain = readonly unknown[]

export interface Row {
  id: number
}

/** Reads and writes one Tryton database through its JSON-RPC, as one user. */
export class TrytonClient {
  readonly #login: HttpClient
  readonly #http: HttpClient
  readonly #steps: HttpClient
  readonly #path: string
  readonly #username: string
  readonly #password: string
  readonly #key: SessionKey
  #clock: Date | undefined
  #own: Promise<Session> | undefined

  constructor({ base_url = '', database = '', username = '', password = '' }: Credentials, http: IntegrationHttp) {
    this.#login = http.at(base_url, { judge: judgeLogin, timeoutMs: 60_000 })
    this.#http = http.at(base_url, { judge: judgeAnswer, timeoutMs: 60_000 })
    this.#steps = http.at(base_url, { judge: judgeStep, timeoutMs: 60_000 })
    this.#path = `${encodeURIComponent(database)}/`
    this.#username = username
    this.#password = password
    this.#key = sessions.key(base_url, database, username, password)
  }

  /** The clock of the server when it gave its last answer, to the second. */
  get clock(): Date | undefined {
    return this.#clock
  }

  /** The company that the user works for; null for a user without one. */
  async account(): Promise<Account | null> {
    const { context } = await this.#session()
    if (typeof context.company !== 'number') return null
    const [company] = await this.read<Row & { rec_name: string }>({
      model: 'company.company',
      domain: [['id', '=', context.company]],
      fields: ['rec_name'],
    })
    return company ? { account_id: String(company.id), account_name: company.rec_name } : null
  }

  /**
   * Rows of a model with the fields asked for, of which those that this Tryton does not have are left out: its models
   * grow with the modules that are activated. A field behind a relation is named with dots and nests under `relation.`.
   */
  async read<Found extends Row>(query: {
    model: string
    domain?: Domain
    fields: readonly string[]
    limit?: number
    context?: TrytonContext
  }): Promise<Found[]> {
    const { model, domain = [], limit = null, context = {} } = query
    const fields = await this.#known(model, query.fields)
    const search = (more: TrytonContext) =>
      this.#model(model, 'search_read', [domain, 0, limit, [['id', 'ASC']], fields], { ...context, ...more })
    try {
      return (await search({})) as Found[]
    } catch (error) {
      if (!(error instanceof IntegrationError) || error.fault !== 'rejected' || error.status !== 200) throw error
      // the refusal came in the user's language, in which a missing right cannot be told from other errors
      return (await search({ language: 'en' })) as Found[]
    }
  }

  /** Rows by id, with fields that Tryton tells this user when asked for by name and does not list, too. */
  async readByName<Found extends Row>(
    model: string,
    ids: readonly number[],
    fields: readonly string[],
  ): Promise<Found[]> {
    return (await this.#model(model, 'read', [ids, fields])) as Found[]
  }

  /** Creates one record. @param values in Tryton's typed JSON; what belongs to it comes along as `['create', rows]` */
  async create(model: string, values: object, options?: StepOptions): Promise<number> {
    const [id] = (await this.step(model, 'create', [[values]], options)) as [number]
    return id
  }

  async change(model: string, id: number, values: object): Promise<void> {
    await this.step(model, 'write', [[id], values])
  }

  /**
   * A method of a model that changes something. Where Tryton warns, it goes on, as a user does who presses OK: some
   * methods warn twice.
   */
  async step(
    model: string,
    method: string,
    params: readonly unknown[],
    { effect = true }: StepOptions = {},
  ): Promise<unknown> {
    for (let warnings = 0; ; warnings++) {
      const { body } = await this.#signed((session) => ({
        http: this.#steps,
        body: { id: 0, method: `model.${model}.${method}`, params: [...params, session.context] },
        repeatable: false,
        effect,
      }))
      if (!body.error) return plain(body.result)
      const [name, message] = body.error[1] as [string, string]
      if (warnings === 10) throw new IntegrationError('rejected', message, { status: 200 })
      const { userId } = await this.#session()
      await this.create('res.user.warning', { user: userId, name, always: true }, { effect: false })
    }
  }

  /**
   * Runs work when no other of this name is under way for the same database and user. That holds within this process:
   * another one, or a person at Tryton, may still come in between.
   */
  alone<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
    return turns.take(`${this.#key} ${name}`, work)
  }

  /** The company whose stock it is, and its currency. */
  async company(): Promise<{ id: number; currency: number }> {
    const { context } = await this.#session()
    const [company] = await this.read<Row & { currency: number }>({
      model: 'company.company',
      domain: [['id', '=', context.company ?? null]],
      fields: ['currency'],
    })
    if (!company) throw new IntegrationError('rejected', 'This user works for no company in Tryton')
    return company
  }

  /** Whether this Tryton has the field; unknown models have none. */
  async has(model: string, field: string): Promise<boolean> {
    return (await this.#known(model, [field])).length > 0
  }

  async #known(model: string, paths: readonly string[]): Promise<string[]> {
    const known: string[] = []
    for (const path of paths) if (await this.#isKnown(model, path.split('.'))) known.push(path)
    return known
  }

  async #isKnown(model: string, [name, ...rest]: string[]): Promise<boolean> {
    const field = (await this.#fieldsOf(model))[name!]
    if (!field || rest.length === 0) return field !== undefined
    return field.relation !== undefined && this.#isKnown(field.relation, rest)
  }

  async #fieldsOf(model: string): Promise<ModelFields> {
    const { fields } = await this.#session()
    const kept = fields.get(model)
    if (kept) return kept
    const asked = this.#model(model, 'fields_get', [[]]) as Promise<ModelFields>
    fields.set(model, asked)
    asked.catch(() => fields.delete(model))
    return asked
  }

  /** A method of a model, of which a repetition does no harm. */
  async #model(
    model: string,
    method: string,
    params: readonly unknown[],
    context: TrytonContext = {},
  ): Promise<unknown> {
    const { body } = await this.#signed((session) => ({
      http: this.#http,
      body: { id: 0, method: `model.${model}.${method}`, params: [...params, { ...session.context, ...context }] },
      repeatable: true,
      effect: false,
    }))
    return plain(body.result)
  }

  /** Sessions end when they are not used for some minutes: then it logs in again, once. */
  async #signed(call: (session: Session) => Call): Promise<HttpAnswer> {
    const session = await this.#session()
    try {
      return await this.#post(session, call(session))
    } catch (error) {
      if (!(error instanceof IntegrationError) || error.fault !== 'credentials') throw error
      await sessions.drop(this.#key, session)
      this.#own = undefined
      const fresh = await this.#session()
      return this.#post(fresh, call(fresh))
    }
  }

  async #post(session: Pick<Session, 'authorization'>, { http, ...call }: Call): Promise<HttpAnswer> {
    const answer = await http.send('POST', this.#path, { ...call, headers: { authorization: session.authorization } })
    const clock = new Date(answer.headers.get('date') ?? Number.NaN)
    this.#clock = Number.isNaN(clock.getTime()) ? undefined : clock
    return answer
  }

  #session(): Promise<Session> {
    if (this.#own) return this.#own
    const own = sessions.get(this.#key, () => this.#open())
    this.#own = own
    own.catch(() => {
      if (this.#own === own) this.#own = undefined
    })
    return own
  }

  async #open(): Promise<Session> {
    const params = [this.#username, { password: this.#password }, 'en']
    const body = { id: 0, method: 'common.db.login', params }
    const answer = await this.#login.send('POST', this.#path, { body, effect: false }).catch(tellPause)
    const [userId, key] = answer.body.result as [number, string]
    const authorization = `Session ${Buffer.from(`${this.#username}:${userId}:${key}`).toString('base64')}`
    const preferences = { id: 0, method: 'model.res.user.get_preferences', params: [true, {}] }
    const { body: told } = await this.#post(
      { authorization },
      { http: this.#http, body: preferences, repeatable: true, effect: false },
    )
    return { authorization, userId, context: plain(told.result) as TrytonContext, fields: new Map() }
  }
}

interface Call extends Required<Pick<CallOptions, 'repeatable' | 'effect'>> {
  http: HttpClient
  body: unknown
}

/** Without an effect are steps that the same write would find done and use the next time. */
type StepOptions = Pick<CallOptions, 'effect'>

/** Tryton forgets failed logins after its session time-out, five minutes unless configured; it does not say so itself. */
function tellPause(error: unknown): never {
  if (!(error instanceof IntegrationError) || error.status !== 429) throw error
  const { message, url } = error
  throw new IntegrationError('rate_limited', message, { status: 429, retryAfterSeconds: 300, ...(url && { url }) })
}
