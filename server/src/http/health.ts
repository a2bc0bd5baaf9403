import { Type } from 'typebox'
import { errors } from '../errors.ts'
import type { App } from './app.ts'

/**
 * Serves `/health`: 200 when requests can be served, 503 with the reason while not.
 * @param check resolves to what is wrong, or null
 */
export function serveHealth(app: App, check: () => Promise<string | null>): void {
  app.get(
    '/health',
    {
      config: { access: 'public' },
      schema: {
        tags: ['Operation'],
        summary: 'Whether requests can be served',
        response: { 200: Type.Object({ status: Type.Literal('ok') }) },
      },
    },
    async () => {
      const reason = await check()
      if (reason !== null) throw errors.unavailable(reason)
      return { status: 'ok' as const }
    },
  )
}
