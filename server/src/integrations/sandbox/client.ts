import type { Page, PageRequest, PassthroughAnswer, PassthroughRequest } from '../define.ts'
import { IntegrationError } from '../fault.ts'
import type { HttpClient, IntegrationHttp } from '../http.ts'
import type { Kind, WarehouseDocuments } from './documents.ts'
import type { WarehouseRequests } from './requests.ts'

/** Reads and changes a warehouse system over its HTTP interface. */
export class WarehouseClient {
  readonly #http: HttpClient
  /** Takes every answer as it comes. */
  readonly #raw: HttpClient
  readonly #lists = new Map<Kind, Promise<unknown>>()

  constructor(http: IntegrationHttp, origin: string, key: string) {
    const headers = { 'x-warehouse-key': key }
    this.#http = http.at(origin, { headers })
    this.#raw = http.at(origin, { headers, judge: () => null })
  }

  async account(): Promise<{ account: string; title: string }> {
    return (await this.#http.get('/v1/account')).body
  }

  /** A page of documents in the order of their last change. */
  async page<K extends Kind>(
    kind: K,
    { since, cursor }: { since?: PageRequest['since']; cursor: PageRequest['cursor'] },
  ): Promise<Page<WarehouseDocuments[K]>> {
    const { body } = await this.#http.get(`/v1/${kind}`, {
      query: {
        modified_since: since?.toISOString(),
        after: typeof cursor === 'string' ? cursor : undefined,
        limit: 250,
      },
    })
    return body
  }

  /** All documents of a short list; asked for once. */
  list<K extends Kind>(kind: K): Promise<WarehouseDocuments[K][]> {
    if (!this.#lists.has(kind)) this.#lists.set(kind, this.#readAll(kind))
    return this.#lists.get(kind) as Promise<WarehouseDocuments[K][]>
  }

  async returnCauses(): Promise<{ code: string; text: string }[]> {
    return (await this.#http.get('/v1/return-causes')).body.items
  }

  /**
   * Sends a request that changes something: `write<'rmas', 'addRma'>` has the body `addRma` and is about one of `rmas`.
   * @param path its place, each part encoded by `place`
   * @param reference what the warehouse is to know it by
   * @param body left out of requests that have none, and no name
   * @returns the document it is about
   */
  async write<K extends Kind, Name extends keyof WarehouseRequests = never>(
    method: 'POST' | 'PUT',
    path: string,
    reference: string,
    body?: WarehouseRequests[Name],
  ): Promise<WarehouseDocuments[K]> {
    const { body: document } = await this.#http.send(method, path, { headers: { 'x-reference': reference }, body })
    return document
  }

  /** What the request with a reference was about; null when it never arrived. */
  async written<K extends Kind>(reference: string): Promise<WarehouseDocuments[K] | null> {
    try {
      return (await this.#http.get(place`/v1/references/${reference}`)).body
    } catch (error) {
      if (error instanceof IntegrationError && error.fault === 'not_found') return null
      throw error
    }
  }

  async pass({ method, path, data, headers, params }: PassthroughRequest): Promise<PassthroughAnswer> {
    const own = Object.fromEntries(Object.entries(headers).filter(([name]) => !reserved.has(name.toLowerCase())))
    const options = { headers: own, query: params, ...(data !== undefined && { body: data }) }
    const answer = method === 'GET' ? await this.#raw.get(path, options) : await this.#raw.send(method, path, options)
    return { status: answer.status, headers: Object.fromEntries(answer.headers), body: answer.body }
  }

  async #readAll<K extends Kind>(kind: K): Promise<WarehouseDocuments[K][]> {
    const all: WarehouseDocuments[K][] = []
    let cursor: PageRequest['cursor'] = null
    do {
      const page: Page<WarehouseDocuments[K]> = await this.page(kind, { cursor })
      all.push(...page.items)
      cursor = page.next
    } while (cursor !== null)
    return all
  }
}

/** A path whose parts may be any text. */
export const place = (texts: TemplateStringsArray, ...parts: string[]) =>
  String.raw({ raw: texts }, ...parts.map(encodeURIComponent))

/** Set by the connection itself. */
const reserved = new Set(['x-warehouse-key', 'host', 'connection', 'content-length', 'transfer-encoding'])
