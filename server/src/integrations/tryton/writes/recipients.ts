import type { Row, TrytonClient } from '../client.ts'
import { refused } from './record.ts'

export interface ShipTo {
  full_name: string
  address1: string
  address2?: string
  city: string
  state?: string
  postal_code: string
  country: string
}

/**
 * The party of this name with this address, created where Tryton does not have them; of several, the oldest. Looking
 * first, it leaves no second one when it is done again, or for several orders at once.
 * @throws IntegrationError `rejected` for a country or state that Tryton does not have
 */
export async function recipientOf(client: TrytonClient, name: string, shipTo: ShipTo): Promise<Recipient> {
  const country = await idOf(client, 'country.country', shipTo.country)
  const values = {
    party_name: shipTo.full_name === name ? null : shipTo.full_name,
    street: [shipTo.address1, shipTo.address2].filter(Boolean).join('\n'),
    city: shipTo.city,
    postal_code: shipTo.postal_code,
    country,
    subdivision: shipTo.state ? await idOf(client, 'country.subdivision', `${shipTo.country}-${shipTo.state}`) : null,
  }
  const domain = [['party.name', '=', name], ...Object.entries(values).map(([field, value]) => [field, '=', value])]
  async function known(): Promise<Recipient | null> {
    const [found] = await client.read<Row & { party: number }>({
      model: 'party.address',
      domain,
      fields: ['party'],
      limit: 1,
    })
    return found ? { customer: found.party, delivery_address: found.id } : null
  }
  async function create(): Promise<Recipient> {
    const [party] = await client.read({ model: 'party.party', domain: [['name', '=', name]], fields: [], limit: 1 })
    const customer = party?.id ?? (await client.create('party.party', { name, addresses: [] }, { effect: false }))
    const address = await client.create('party.address', { party: customer, ...values }, { effect: false })
    return { customer, delivery_address: address }
  }
  return (await known()) ?? client.alone('recipients', async () => (await known()) ?? create())
}

/** Ids of both. */
interface Recipient {
  customer: number
  delivery_address: number
}

async function idOf(client: TrytonClient, model: string, code: string): Promise<number> {
  const [found] = await client.read({ model, domain: [['code', '=', code]], fields: [], limit: 1 })
  if (!found) throw refused(`Tryton has no ${model.replace('country.', '').replace('subdivision', 'state')} ${code}`)
  return found.id
}
