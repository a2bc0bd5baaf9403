import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Stands before a Tryton, hands everything on, counts logins, and ends a session or keeps an answer back when told to. */
export interface Relay {
  url: string
  readonly logins: number
  endSession(): Promise<void>
  /** The next call of this method is handed on; its connection is closed in place of the answer. */
  cutOff(method: string): void
  /** Calls of this method are answered like this in Tryton's place, until null is given. */
  refuse(method: string, refusal: Refusal | null): void
  /** How many answers were kept back. */
  readonly cutOffs: number
  stop(): Promise<void>
}

interface Refusal {
  status: number
  /** Sent as JSON. */
  body: object
}

export async function startRelay(target: string, database: string): Promise<Relay> {
  let logins = 0
  let authorization = ''
  let unanswered = ''
  const refusals = new Map<string, Refusal>()
  let cutOffs = 0
  const post = (path: string, body: string, headers: Record<string, string>) =>
    fetch(target + path, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body })
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await Array.fromAsync(request)).toString()
    if (body.includes('"common.db.login"')) logins++
    authorization = request.headers.authorization ?? authorization
    const { authorization: signed } = request.headers
    const refusal = [...refusals].find(([method]) => body.includes(`"${method}"`))?.[1]
    if (refusal) {
      response.writeHead(refusal.status, { 'content-type': 'application/json' })
      return void response.end(JSON.stringify(refusal.body))
    }
    try {
      const answer = await post(request.url!, body, signed ? { authorization: signed } : {})
      if (unanswered && body.includes(`"${unanswered}"`)) {
        unanswered = ''
        cutOffs++
        return void response.destroy()
      }
      response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'text/plain' })
      response.end(await answer.text())
    } catch {
      response.destroy()
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get logins() {
      return logins
    },
    async endSession() {
      const call = JSON.stringify({ id: 0, method: 'common.db.logout', params: [] })
      const { status } = await post(`/${database}/`, call, { authorization })
      if (status !== 200) throw new Error(`The session was not ended: ${status}`)
    },
    cutOff(method) {
      unanswered = method
    },
    refuse(method, refusal) {
      if (refusal) refusals.set(method, refusal)
      else refusals.delete(method)
    },
    get cutOffs() {
      return cutOffs
    },
    async stop() {
      server.closeAllConnections()
      server.close()
    },
  }
}
