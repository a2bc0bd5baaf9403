import type { App } from '../http/app.ts'
import { type EndpointRouteParts, endpointRoutes } from './endpoint-routes.ts'
import { type EventRouteParts, eventRoutes } from './event-routes.ts'

export function webhookRoutes(app: App, parts: EndpointRouteParts & EventRouteParts) {
  endpointRoutes(app, parts)
  eventRoutes(app, parts)
}
