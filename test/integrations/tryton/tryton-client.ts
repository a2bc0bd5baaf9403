/**
 * A second, independent reader of Tryton's JSON-RPC: what the integration reports is compared with what this one reads.
 * Every answer is plain: `Decimal` as string, `date` as `2026-01-31`, `datetime` as ISO 8601 UTC with microseconds.
 */
export class TrytonClient {
  readonly url: string
  readonly database: string
  #authorization = ''
  #userId = 0
  #context: TrytonContext = {}

  constructor(url: string, database: string) {
    this.url = url
    this.database = database
  }

  /** Opens a session and takes over the user's preferences (company, language) as context of every later call. */
  async login(login: string, password: string): Promise<this> {
    const [userId, key] = (await this.call('common.db.login', login, { password }, 'en')) as [number, string]
    this.#authorization = `Session ${Buffer.from(`${login}:${userId}:${key}`).toString('base64')}`
    this.#userId = userId
    await this.reloadContext()
    return this
  }

  async reloadContext(): Promise<void> {
    this.#context = (await this.call('model.res.user.get_preferences', true, {})) as TrytonContext
  }

  /** Calls any remote method; throws `TrytonRefusal` for an HTTP failure as for an error inside an answer of 200. */
  async call(method: string, ...params: unknown[]): Promise<unknown> {
    const response = await fetch(`${this.url}/${this.database}/`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(this.#authorization && { authorization: this.#authorization }),
      },
      body: JSON.stringify({ id: 0, method, params }),
    })
    const text = await response.text()
    if (!response.ok) throw new TrytonRefusal(response.status, `HTTP ${response.status}`, text)
    const answer = JSON.parse(text) as { result?: unknown; error?: [string, unknown] }
    if (answer.error) throw new TrytonRefusal(response.status, answer.error[0], answer.error[1])
    return plain(answer.result)
  }

  /** Calls a method of a model with the session's context, as the desktop client does. */
  model(model: string, method: string, params: unknown[], context: TrytonContext = {}): Promise<unknown> {
    return this.call(`model.${model}.${method}`, ...params, { ...this.#context, ...context })
  }

  async create(model: string, rows: Record<string, unknown>[]): Promise<number[]> {
    return (await this.model(model, 'create', [rows])) as number[]
  }

  async write(model: string, ids: number[], values: Record<string, unknown>): Promise<void> {
    await this.model(model, 'write', [ids, values])
  }

  async searchRead<Row = TrytonRow>(model: string, domain: unknown[], fields: string[], query: Query = {}) {
    const { offset = 0, limit = null, order = [['id', 'ASC']], context } = query
    return (await this.model(model, 'search_read', [domain, offset, limit, order, fields], context)) as Row[]
  }

  async count(model: string, domain: unknown[] = [], context: TrytonContext = {}): Promise<number> {
    return (await this.model(model, 'search_count', [domain], context)) as number
  }

  /**
   * Presses a workflow button on many records at once. A warning is confirmed the way the desktop client does it: by
   * recording that this user has seen it, then pressing again; some steps ask twice, hence `always`.
   */
  async button(model: string, name: string, ids: number[]): Promise<unknown> {
    try {
      return await this.model(model, name, [ids])
    } catch (error) {
      if (!(error instanceof TrytonRefusal) || error.kind !== 'UserWarning') throw error
      const [warning] = error.detail as [string]
      await this.create('res.user.warning', [{ user: this.#userId, name: warning, always: true }])
      return this.button(model, name, ids)
    }
  }
}

export type TrytonContext = Record<string, unknown>
export type TrytonRow = { id: number; [field: string]: unknown }
type Query = { offset?: number; limit?: number | null; order?: [string, 'ASC' | 'DESC'][]; context?: TrytonContext }

/** `kind` is Tryton's own word (`UserError`, `UserWarning`, …) or `HTTP <status>`. */
export class TrytonRefusal extends Error {
  readonly status: number
  readonly kind: string
  readonly detail: unknown

  constructor(status: number, kind: string, detail: unknown) {
    super(`${kind}: ${typeof detail === 'string' ? detail : JSON.stringify(detail)}`)
    this.status = status
    this.kind = kind
    this.detail = detail
  }
}

export const decimal = (value: string | number) => ({ __class__: 'Decimal', decimal: String(value) })

/** @param iso a day, `2026-01-31` */
export const date = (iso: string) => {
  const [year, month, day] = iso.split('-').map(Number)
  return { __class__: 'date', year, month, day }
}

type Typed = { __class__?: string } & Record<string, number | string>

function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain)
  if (value === null || typeof value !== 'object') return value
  const typed = value as Typed
  switch (typed.__class__) {
    case 'Decimal':
      return typed.decimal
    case 'date':
      return day(typed)
    case 'datetime': {
      const time = [typed.hour, typed.minute, typed.second].map((part) => pad(part, 2)).join(':')
      return `${day(typed)}T${time}.${pad(typed.microsecond, 6)}Z`
    }
  }
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, plain(member)]))
}

const day = (typed: Typed) => `${pad(typed.year, 4)}-${pad(typed.month, 2)}-${pad(typed.day, 2)}`

const pad = (part: number | string | undefined, digits: number) => String(part).padStart(digits, '0')
