import { date, decimal, type TrytonClient } from './tryton-client.ts'

/** The company whose stock it is, made the one that the administrator works for. */
export async function seedCompany(admin: TrytonClient) {
  const [currencyId] = await admin.create('currency.currency', [
    {
      name: 'US Dollar',
      code: 'USD',
      symbol: '$',
      numeric_code: '840',
      rounding: decimal('0.01'),
      digits: 2,
      rates: [['create', [{ date: date('2020-01-01'), rate: decimal(1) }]]],
    },
  ])
  const [countryId] = await admin.create('country.country', [
    { name: 'United States', code: 'US', code3: 'USA', code_numeric: '840' },
  ])
  const [subdivisionId] = await admin.create('country.subdivision', [
    { country: countryId, name: 'New Jersey', code: 'US-NJ', type: 'state' },
  ])
  const [partyId] = await admin.create('party.party', [{ name: 'Example Fulfilment' }])
  const [companyId] = await admin.create('company.company', [{ party: partyId, currency: currencyId }])
  const [administrator] = await admin.searchRead('res.user', [['login', '=', 'admin']], [])
  await admin.write('res.user', [administrator!.id], { companies: [['add', [companyId]]], company: companyId })
  await admin.reloadContext()
  return {
    id: companyId!,
    name: 'Example Fulfilment',
    currencyId: currencyId!,
    countryId: countryId!,
    subdivisionId: subdivisionId!,
  }
}

export type Company = Awaited<ReturnType<typeof seedCompany>>
