import type { Page, PageRequest } from '../define.ts'
import type { HttpClient } from '../http-client.ts'
import type { Kind, WarehouseDocuments } from './documents.ts'

/**
 * Changes are asked for from a little earlier than the last crawl: a change carries the instant it was made, which is
 * shortly before others can see it.
 */
const overlapMs = 10_000

/** Reads a warehouse system over its HTTP interface. */
export class WarehouseClient {
  readonly #http: HttpClient

  constructor(http: HttpClient) {
    this.#http = http
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
        modified_since: since ? new Date(since.getTime() - overlapMs).toISOString() : undefined,
        after: typeof cursor === 'string' ? cursor : undefined,
        limit: 250,
      },
    })
    return body
  }
}
