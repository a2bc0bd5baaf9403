import { Pool } from 'undici'

export interface Load {
  perSecond: number
  p50: number
  p99: number
  requests: number
}

const connections = 32

/** Asks for one path over 32 kept connections for so long. Times in ms. */
export async function load(
  origin: string,
  path: string,
  headers: Record<string, string>,
  seconds: number,
): Promise<Load> {
  const pool = new Pool(origin, { connections, pipelining: 1 })
  const times: number[] = []
  const startedAt = performance.now()
  const endsAt = startedAt + seconds * 1000
  async function ask() {
    while (performance.now() < endsAt) {
      const askedAt = performance.now()
      const { statusCode, body } = await pool.request({ path, method: 'GET', headers })
      await body.dump({ limit: 1e9 })
      if (statusCode !== 200) throw new Error(`${path} answered ${statusCode}`)
      times.push(performance.now() - askedAt)
    }
  }
  await Promise.all(Array.from({ length: connections }, ask))
  const elapsed = performance.now() - startedAt
  await pool.close()
  times.sort((a, b) => a - b)
  const at = (share: number) => times[Math.floor((times.length - 1) * share)]!
  return { perSecond: (times.length / elapsed) * 1000, p50: at(0.5), p99: at(0.99), requests: times.length }
}
