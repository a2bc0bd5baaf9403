import { collectDefaultMetrics, Histogram, type Registry } from 'prom-client'
import type { App } from './app.ts'

/** Serves `/metrics` in Prometheus' text format and times every request by its route. */
export function serveMetrics(app: App, registry: Registry): void {
  collectDefaultMetrics({ register: registry })
  const duration = new Histogram({
    name: 'crossdock_http_request_duration_seconds',
    help: 'Time from the first byte of a request to the end of its answer',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers: [registry],
  })
  app.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'unknown'
    duration.observe({ method: request.method, route, status: reply.statusCode }, reply.elapsedTime / 1000)
  })
  app.get('/metrics', { config: { access: 'public' }, schema: { hide: true } }, async (_request, reply) =>
    reply.type(registry.contentType).send(await registry.metrics()),
  )
}
