import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { TSchema } from 'typebox'
import type { Db } from '../../db/schema.ts'
import type { Kind, WarehouseDocuments } from '../../integrations/sandbox/documents.ts'
import { requests, type WarehouseRequests } from '../../integrations/sandbox/requests.ts'
import { Booking } from './booking.ts'
import { returnReasons } from './generate/returns.ts'
import { Refusal, refuse } from './refusal.ts'
import { findDocument, findReference, takeFault, type Warehouse } from './store.ts'
import { addArticle, changeArticle } from './writes/articles.ts'
import { addAsn, changeAsn, receive } from './writes/asns.ts'
import { dispatch, fulfil } from './writes/consignments.ts'
import { correct } from './writes/corrections.ts'
import { addOrder, attachFile, cancelOrder, changeOrder } from './writes/orders.ts'
import { addRma, cancelRma, changeRma, takeBack } from './writes/rmas.ts'

/**
 * The requests that change a warehouse. Each answers the document it is about; one that carries `x-reference` can be
 * looked up by it afterwards under `/v1/references`, and is refused when it comes again.
 */
export function writeRoutes(app: FastifyInstance, db: Db, warehouseOf: (request: FastifyRequest) => Warehouse): void {
  /** @param functionName what a simulated fault calls it; null: has none */
  function offer<Name extends keyof WarehouseRequests, K extends Kind>(
    method: 'POST' | 'PUT',
    url: string,
    functionName: string | null,
    name: Name | null,
    kind: K,
    work: (booking: Booking, body: WarehouseRequests[Name], id: string) => Promise<WarehouseDocuments[K]>,
  ) {
    app.route<{ Params: { id: string }; Body: WarehouseRequests[Name] }>({
      method,
      url,
      schema: name === null ? {} : { body: requests[name] as TSchema },
      handler: async (request, reply) => {
        const { id, faults } = warehouseOf(request)
        if (functionName !== null && faults.some((fault) => fault.function_name === functionName)) {
          const fault = await takeFault(db, id, functionName)
          const message = fault?.error_message ?? `Simulated fault of ${functionName}`
          if (fault) return refuse(reply, fault.status_code, message)
        }
        const reference = request.headers['x-reference']
        try {
          return await Booking.make(db, id, typeof reference === 'string' ? reference : null, kind, (booking) =>
            work(booking, request.body as WarehouseRequests[Name], request.params.id),
          )
        } catch (error) {
          if (error instanceof Refusal) return refuse(reply, error.status, error.message)
          throw error
        }
      },
    })
  }

  offer('POST', '/v1/orders', 'create_order', 'addOrder', 'orders', addOrder)
  offer('PUT', '/v1/orders/:id', 'update_order', 'changeOrder', 'orders', (b, body, id) => changeOrder(b, id, body))
  offer('POST', '/v1/orders/:id/cancellation', 'cancel_order', null, 'orders', (b, _, id) => cancelOrder(b, id))
  offer('POST', '/v1/orders/:id/consignments', 'create_order_shipment', 'dispatch', 'orders', (b, body, id) =>
    dispatch(b, id, body),
  )
  offer('POST', '/v1/orders/:id/files', 'attach_file', 'attach', 'orders', (b, body, id) => attachFile(b, id, body))
  offer('POST', '/v1/orders/:id/fulfilment', null, 'fulfil', 'orders', (b, body, id) => fulfil(b, id, body))
  offer('POST', '/v1/articles', 'create_product', 'addArticle', 'articles', (b, body) => addArticle(b, body, false))
  offer('PUT', '/v1/articles/:id', 'update_product', 'changeArticle', 'articles', (b, body, id) =>
    changeArticle(b, id, body, false),
  )
  offer('POST', '/v1/kits', 'create_kit', 'addArticle', 'articles', (b, body) => addArticle(b, body, true))
  offer('PUT', '/v1/kits/:id', 'update_kit', 'changeArticle', 'articles', (b, body, id) =>
    changeArticle(b, id, body, true),
  )
  offer('POST', '/v1/asns', 'create_inbound_shipment', 'addAsn', 'asns', addAsn)
  offer('PUT', '/v1/asns/:id', 'update_inbound_shipment', 'changeAsn', 'asns', (b, body, id) => changeAsn(b, id, body))
  offer('POST', '/v1/asns/:id/receipts', 'create_receipt', 'receive', 'asns', (b, body, id) => receive(b, id, body))
  offer('POST', '/v1/rmas', 'create_return', 'addRma', 'rmas', addRma)
  offer('PUT', '/v1/rmas/:id', 'update_return', 'changeRma', 'rmas', (b, body, id) => changeRma(b, id, body))
  offer('POST', '/v1/rmas/:id/cancellation', 'cancel_return', null, 'rmas', (b, _, id) => cancelRma(b, id))
  offer('POST', '/v1/rmas/:id/arrival', null, null, 'rmas', (b, _, id) => takeBack(b, id))
  offer('POST', '/v1/stock/:id/corrections', 'adjust_inventory', 'correct', 'stock', (b, body, id) =>
    correct(b, id, body),
  )

  app.get('/v1/return-causes', () => ({ items: returnReasons }))

  app.get<{ Params: { reference: string } }>('/v1/references/:reference', async (request, reply) => {
    const { id } = warehouseOf(request)
    const found = await findReference(db, id, request.params.reference)
    const document = found && (await findDocument(db, id, found.kind, found.document_id))
    return document ?? refuse(reply, 404, `There is no reference ${request.params.reference}`)
  })
}
