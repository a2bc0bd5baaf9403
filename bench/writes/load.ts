import { setTimeout as pause } from 'node:timers/promises'
import { Pool } from 'undici'

/** One request of a load. */
export interface Sent {
  path: string
  headers: Record<string, string>
  body: object
}

export interface Measured {
  /** Milliseconds. */
  p50: number
  p99: number
  perSecond: number
}

/** One way to the same end. */
export interface Way {
  origin: string
  request(): Sent
}

/**
 * Sends requests over a number of connections, the ways in turn, so that whatever else the machine does meets all alike.
 * @param perSecond how many of each way over all connections, evenly spaced; null: each connection as fast as it is
 * answered
 */
export async function load(
  ways: readonly Way[],
  options: { connections: number; seconds: number; perSecond: number | null },
): Promise<Measured[]> {
  const { connections, seconds, perSecond } = options
  const lanes = ways.map((way) => ({
    ...way,
    pool: new Pool(way.origin, { connections, pipelining: 1 }),
    tookMs: [] as number[],
  }))
  const begun = performance.now()
  const end = begun + seconds * 1000
  const everyMs = perSecond === null ? 0 : (connections * 1000) / perSecond / ways.length

  async function connection(index: number) {
    for (let turn = 0; ; turn++) {
      const dueAt = begun + (turn + index / connections) * everyMs
      const waitMs = dueAt - performance.now()
      if (waitMs > 0) await pause(waitMs)
      if (performance.now() > end) return
      const { pool, request, tookMs } = lanes[(turn + index) % lanes.length]!
      const { path, headers, body } = request()
      const startedAt = performance.now()
      const answer = await pool.request({
        path,
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      })
      const text = await answer.body.text()
      if (answer.statusCode !== 200) throw new Error(`${path} answered ${answer.statusCode}: ${text}`)
      tookMs.push(performance.now() - startedAt)
    }
  }
  await Promise.all(Array.from({ length: connections }, (_, index) => connection(index)))
  const lasted = performance.now() - begun
  return Promise.all(
    lanes.map(async ({ pool, tookMs }) => {
      await pool.close()
      tookMs.sort((a, b) => a - b)
      return {
        p50: tookMs[Math.floor(tookMs.length / 2)]!,
        p99: tookMs[Math.floor(tookMs.length * 0.99)]!,
        perSecond: (tookMs.length / lasted) * 1000,
      }
    }),
  )
}
