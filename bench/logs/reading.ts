import type { ApiLog, Scope, SearchScope } from '../../server/src/logs/api-log.ts'
import { connectionId, organizationId } from './load.ts'

export interface Timing {
  name: string
  p50: number
  p99: number
  found: number
}

type Filter = Partial<
  Pick<SearchScope, 'connectionId' | 'integrationName' | 'integrationType' | 'method' | 'path' | 'statusCode'>
>

/** A frequent and a rare value of each filter, in the largest organization. */
const values: Record<string, Filter[]> = {
  connection: [{ connectionId: connectionId(0, 0) }, { connectionId: connectionId(0, 199) }],
  name: [{ integrationName: 'warehouse-1' }, { integrationName: 'shop-1' }],
  type: [{ integrationType: 'wms' }, { integrationType: 'carrier' }],
  method: [{ method: 'GET' }, { method: 'PUT' }],
  path: [{ path: '/wms/orders' }, { path: '/connections' }],
  status: [{ statusCode: 200 }, { statusCode: 502 }],
}

/** Times every search, facets and histogram that is asked of the log, on the largest organization. */
export async function timeReading(log: ApiLog, now: Date, days: number, runs: number): Promise<Timing[]> {
  const whole: Scope & { until: Date } = {
    organizationId: organizationId(0),
    from: new Date(now.getTime() - days * 86_400_000),
    until: now,
  }
  const hour = { ...whole, from: new Date(now.getTime() - 3_600_000) }
  const oneConnection = { connectionId: connectionId(0, 0) }
  const newest = async (filter: Filter, after: { requestTime: string; requestId: string } | null = null) => {
    const page = await log.search({ ...whole, ...filter }, { limit: 100, after, maxBytes: 8 * 1024 * 1024 })
    return { found: page.entries.length, next: page.next }
  }
  const names = Object.keys(values)
  const pairs = names.flatMap((one, i) => names.slice(i + 1).map((other) => [one, other] as const))
  const timings: Timing[] = [await time('newest 100', [() => newest({})], runs)]
  for (const name of names) {
    timings.push(
      await time(
        `newest 100 by ${name}`,
        values[name]!.map((filter) => () => newest(filter)),
        runs,
      ),
    )
  }
  for (const [one, other] of pairs) {
    const both = values[one]!.flatMap((a) => values[other]!.map((b) => () => newest({ ...a, ...b })))
    timings.push(await time(`newest 100 by ${one} and ${other}`, both, runs))
  }
  const { next } = await newest({})
  timings.push(
    await time('newest 100, next page', [() => newest({}, next)], runs),
    await time('newest 100, rare status', [() => newest({ statusCode: 503 })], runs),
    await time('newest 100, no such combination', [() => newest({ method: 'DELETE', statusCode: 404 })], runs),
    await time('newest 100, no such path', [() => newest({ path: '/nowhere' })], runs),
  )
  for (const [period, scope] of Object.entries({ [`${days} days`]: whole, '1 hour': hour })) {
    const size = (found: object) => ({ found: Object.values(found).flat().length })
    timings.push(
      await time(`facets, ${period}`, [async () => size(await log.facets(scope))], runs),
      await time(
        `facets of a type, ${period}`,
        [async () => size(await log.facets({ ...scope, integrationType: 'wms' }))],
        runs,
      ),
      await time(
        `facets of a connection, ${period}`,
        [async () => size(await log.facets({ ...scope, ...oneConnection }))],
        runs,
      ),
      await time(`histogram, ${period}`, [async () => size(await log.histogram(scope, 60))], runs),
      await time(
        `histogram of a connection, ${period}`,
        [async () => size(await log.histogram({ ...scope, ...oneConnection }, 60))],
        runs,
      ),
    )
  }
  return timings
}

async function time(name: string, asks: (() => Promise<{ found: number }>)[], runs: number): Promise<Timing> {
  const times: number[] = []
  let found = 0
  for (const ask of asks) {
    // statements are planned for good at their sixth use
    for (let i = -6; i < runs; i++) {
      const start = performance.now()
      found = (await ask()).found
      if (i >= 0) times.push(performance.now() - start)
    }
  }
  times.sort((a, b) => a - b)
  const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))]!
  return { name, p50: at(0.5), p99: at(0.99), found }
}
