import type { Order } from '../../../integrations/sandbox/documents.ts'
import type { Booking } from '../booking.ts'
import { Refusal } from '../refusal.ts'

/** By id or title; the first there is where none is asked for. @throws Refusal 422 */
export async function serviceOf(booking: Booking, wanted = 'S1'): Promise<Order['service']> {
  const [found] = [
    ...(await booking.find('services', [wanted])).values(),
    ...(await booking.findBy('services', 'title', [wanted])),
  ]
  if (!found) throw new Refusal(422, `There is no shipping service ${wanted}`)
  return { id: found.id, title: found.title, carrier: found.carrier }
}
