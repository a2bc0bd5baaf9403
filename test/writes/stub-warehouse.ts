import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Order } from '../../server/src/integrations/sandbox/documents.ts'
import { generate } from '../../server/src/sandbox/warehouse/generate.ts'

/** How the next requests to create an order end. */
export type Manner =
  | 'well'
  /** Takes the order, answers later than anybody waits. */
  | 'slow'
  /** Takes the order, then closes the connection. */
  | 'cut off'
  /** Closes the connection before it takes the order. */
  | 'hang up'
  | 'broken json'
  | 'html'
  | 'other json'
  | 'endless redirect'
  | { status: number; headers?: Record<string, string>; message?: string }

/** A warehouse system that takes orders and misbehaves as it is told. */
export async function startStubWarehouse() {
  const [template] = generate('stub', new Date('2026-11-20T08:15:30.123Z')).orders
  const orders: Order[] = []
  const byReference = new Map<string, Order>()
  const stub = {
    origin: '',
    manner: 'well' as Manner,
    /** The status that whoever only asks is refused with, but for the account. */
    refusesReads: null as number | null,
    orders,
    stop,
  }

  const server = createServer(async (request, response) => {
    const path = request.url!.split('?')[0]!
    if (request.method === 'POST' && path === '/v1/orders') return takeOrder(request, response)
    if (path === '/v1/account') return answer(response, 200, { account: 'stub', title: 'Stub' })
    if (stub.refusesReads !== null) return answer(response, stub.refusesReads, { message: 'Not now' })
    const reference = /^\/v1\/references\/(.+)$/.exec(path)?.[1]
    if (reference === undefined) return answer(response, 200, { items: [], next: null })
    const order = byReference.get(reference)
    return order ? answer(response, 200, order) : answer(response, 404, { message: 'There is none' })
  })

  async function takeOrder(request: IncomingMessage, response: ServerResponse) {
    const { manner } = stub
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    if (manner === 'hang up') return request.socket.destroy()
    if (typeof manner === 'object') {
      return answer(response, manner.status, { message: manner.message ?? 'No' }, manner.headers)
    }
    const { number } = JSON.parse(Buffer.concat(chunks).toString())
    const order: Order = { ...template!, id: `O${orders.length + 1}`, number }
    orders.push(order)
    byReference.set(request.headers['x-reference'] as string, order)
    if (manner === 'well') return answer(response, 200, order)
    if (manner === 'cut off') return request.socket.destroy()
    if (manner === 'other json') return answer(response, 200, { surprise: [1] })
    if (manner === 'html') return response.setHeader('content-type', 'text/html').end('<h1>Hello</h1>')
    if (manner === 'broken json') return response.setHeader('content-type', 'application/json').end('{"id":')
    if (manner === 'endless redirect') return answer(response, 302, {}, { location: '/v1/orders' })
    // slow: never, until everything stops
  }

  async function stop() {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  }

  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  stub.origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return stub
}

function answer(response: ServerResponse, status: number, body: object, headers: Record<string, string> = {}) {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
}
