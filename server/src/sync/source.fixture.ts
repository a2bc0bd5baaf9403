import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  credentialsForm,
  defineIntegration,
  type Integration,
  type Page,
  type PageRequest,
  read,
  secretField,
  snapshot,
  textField,
  urlField,
} from '../integrations/define.ts'
import type { HttpClient } from '../integrations/http.ts'
import { orders } from '../resources/wms/orders.ts'
import { products } from '../resources/wms/products.ts'

export interface Document {
  id: string
  created_at: string
  modified_at: string
  note: string | null
}

/** One request that came in, for the documents of one kind of one account. */
export interface Asked {
  account: string
  kind: string
  since: string | null
  until: string
  after: string | null
  /** Who asks; empty where it does not say. */
  worker: string
  at: number
}

/** A small system with documents to crawl, which fails and waits as it is told. */
export interface TestSource {
  origin: string
  asked: Asked[]
  /** Requests that came while another for the same documents was being answered. */
  overlaps: Asked[]
  /**
   * Called before each answer; the status it gives is answered instead, null closes the connection. With 429 it asks to be
   * left alone for ten minutes.
   */
  before: (asked: Asked) => Promise<number | null | undefined> | number | null | undefined
  documents(account: string, kind: string): Map<string, Document>
  /** Puts documents with a modification date of now, as sources do. */
  put(account: string, kind: string, ids: readonly string[], note?: string | null): void
  stop(): Promise<void>
}

export async function startTestSource(pageSize = 100): Promise<TestSource> {
  const accounts = new Map<string, Map<string, Document>>()
  const answering = new Map<string, number>()
  const server = createServer(async (request, answer) => {
    const address = new URL(request.url!, 'http://source')
    const [, account, kind] = address.pathname.split('/')
    const asked: Asked = {
      account: account!,
      kind: kind!,
      since: address.searchParams.get('since'),
      until: address.searchParams.get('until')!,
      after: address.searchParams.get('after'),
      worker: String(request.headers['x-worker'] ?? ''),
      at: Date.now(),
    }
    const key = `${account}/${kind}`
    source.asked.push(asked)
    if (answering.get(key)) source.overlaps.push(asked)
    answering.set(key, (answering.get(key) ?? 0) + 1)
    // an asker that is gone is being answered no more
    answer.once('close', () => answering.set(key, answering.get(key)! - 1))
    const status = await source.before(asked)
    if (status === null) return void request.socket.destroy()
    const asksToWait = status === 429 ? { 'retry-after': '600' } : {}
    answer.writeHead(status ?? 200, { 'content-type': 'application/json', ...asksToWait })
    answer.end(
      JSON.stringify(status ? { error: 'as told' } : pageOf(source.documents(account!, kind!), asked, pageSize)),
    )
  })
  const source: TestSource = {
    origin: '',
    asked: [],
    overlaps: [],
    before: () => undefined,
    documents(account, kind) {
      const key = `${account}/${kind}`
      const known = accounts.get(key) ?? new Map()
      accounts.set(key, known)
      return known
    },
    put(account, kind, ids, note = null) {
      const now = new Date().toISOString()
      const documents = source.documents(account, kind)
      for (const id of ids) {
        documents.set(id, { id, created_at: documents.get(id)?.created_at ?? now, modified_at: now, note })
      }
    },
    async stop() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  source.origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return source
}

/** Orders are read by their changes, products as a whole. */
export function testIntegration(): Integration {
  const page =
    (kind: string) =>
    async (
      { http, account }: Client,
      { since, until, cursor }: Pick<PageRequest, 'until' | 'cursor'> & { since?: Date | null },
    ) => {
      const { body } = await http.get(`/${account}/${kind}`, {
        query: { since: since?.toISOString(), until: until.toISOString(), after: (cursor as string) ?? undefined },
      })
      return body as Page<Document>
    }
  return defineIntegration<Client>({
    name: 'test-source',
    type: 'wms',
    displayName: 'Test source',
    description: '',
    install: credentialsForm({ base_url: urlField('', ''), account: textField('', ''), worker: secretField('', '') }),
    connect: ({ base_url, account, worker = '' }, http) => ({
      http: http.at(base_url!, { headers: { 'x-worker': worker }, timeoutMs: 5000 }),
      account: account!,
    }),
    account: () => Promise.resolve(null),
    actions: {
      get_orders: read(orders, page('orders'), (document: Document) => ({
        ...commonOf(document),
        reference_id: document.id,
        order_number: document.id,
        status: 'open' as const,
        raw_status: document.note,
        invoice_currency_code: 'EUR',
      })),
      get_products: snapshot(products, page('products'), (document: Document) => ({
        ...commonOf(document),
        name: document.note ?? document.id,
        is_kit: false,
        active: true,
      })),
    },
  })
}

interface Client {
  http: HttpClient
  account: string
}

const commonOf = (document: Document) => ({
  id: document.id,
  created_date: document.created_at,
  updated_date: document.modified_at,
})

/** Changes stand in the order they were made in, everything in the order of ids. */
function pageOf(documents: Map<string, Document>, { since, until, after, kind }: Asked, pageSize: number) {
  const placeOf = kind === 'orders' ? (each: Document) => `${each.modified_at}|${each.id}` : (each: Document) => each.id
  const wanted = [...documents.values()]
    .map((document) => ({ document, place: placeOf(document) }))
    .filter(({ document, place }) => {
      const inWindow = kind !== 'orders' || (document.modified_at >= (since ?? '') && document.modified_at <= until)
      return inWindow && place > (after ?? '')
    })
    .sort((a, b) => (a.place < b.place ? -1 : 1))
  const items = wanted.slice(0, pageSize)
  return {
    items: items.map(({ document }) => document),
    next: wanted.length > pageSize ? items.at(-1)!.place : null,
  }
}
