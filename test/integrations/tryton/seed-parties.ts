import { digits, series } from './seed-catalogue.ts'
import type { Company } from './seed-company.ts'
import { decimal, type TrytonClient } from './tryton-client.ts'

/** 50 customers and 5 suppliers, each with one address, and 3 carriers. */
export async function seedParties(admin: TrytonClient, company: Company) {
  const customerIds = await admin.create(
    'party.party',
    series(50, (i) => ({
      name: `Customer ${i}`,
      addresses: [
        [
          'create',
          [
            {
              street: `${i} Main Street`,
              postal_code: `07${digits(i, 3)}`,
              city: 'Newark',
              country: company.countryId,
              subdivision: company.subdivisionId,
            },
          ],
        ],
      ],
      contact_mechanisms: [
        [
          'create',
          [
            { type: 'email', value: `customer-${i}@example.com` },
            { type: 'phone', value: `+1 973 555 ${digits(i, 4)}` },
          ],
        ],
      ],
    })),
  )
  const supplierIds = await admin.create(
    'party.party',
    series(5, (i) => ({
      name: `Supplier ${i}`,
      addresses: [['create', [{ street: `${i} Mill Road`, city: 'Trenton', country: company.countryId }]]],
    })),
  )
  const addresses = await admin.searchRead<Address>('party.address', [], ['party'])
  const addressOf = (partyId: number) => addresses.find(({ party }) => party === partyId)!.id
  return {
    customers: customerIds.map((id) => ({ id, addressId: addressOf(id) })),
    suppliers: supplierIds.map((id) => ({ id, addressId: addressOf(id) })),
    carrierIds: await seedCarriers(admin),
  }
}

async function seedCarriers(admin: TrytonClient): Promise<number[]> {
  const names = ['Road Freight', 'Parcel Ground', 'Parcel Express']
  const [unit] = await admin.searchRead('product.uom', [['symbol', '=', 'u']], [])
  const parties = await admin.create(
    'party.party',
    names.map((name) => ({ name })),
  )
  const templates = names.map((name) => ({
    name: `${name} delivery`,
    code: name.toUpperCase().replace(' ', '-'),
    type: 'service',
    default_uom: unit!.id,
    list_price: decimal('6.90'),
    cost_price_method: 'fixed',
    salable: true,
    sale_uom: unit!.id,
    products: [['create', [{ cost_price: decimal('4.20') }]]],
  }))
  const templateIds = await admin.create('product.template', templates)
  const services = await admin.searchRead('product.product', [['template', 'in', templateIds]], [])
  return admin.create(
    'carrier',
    parties.map((party, i) => ({ party, carrier_product: services[i]!.id, carrier_cost_method: 'product' })),
  )
}

type Address = { id: number; party: number }
