export interface Address {
  party_name?: string | null
  street: string | null
  city: string | null
  postal_code: string | null
  'country.': { code: string } | null
  'subdivision.': { code: string } | null
}

/** The fields of an address behind a relation. */
export const addressFields = (relation: string) =>
  ['party_name', 'street', 'city', 'postal_code', 'country.code', 'subdivision.code'].map(
    (name) => `${relation}.${name}`,
  )

/** `street` holds one line or several; codes of subdivisions are ISO 3166-2, as `US-NJ`. */
export function toAddress(address: Address | null) {
  const [address1, address2, ...rest] = (address?.street ?? '').split('\n').flatMap((line) => line.trim() || [])
  return {
    address1: address1 ?? null,
    address2: address2 ?? null,
    address3: rest.join(', ') || null,
    city: address?.city ?? null,
    state: address?.['subdivision.']?.code.replace(/^[A-Z]{2}-/, '') ?? null,
    postal_code: address?.postal_code ?? null,
    country: address?.['country.']?.code ?? null,
  }
}

export interface Recipient {
  name: string
  phone: string | null
  email: string | null
}

export function toContactAddress(address: Address | null, recipient: Recipient) {
  return {
    ...toAddress(address),
    full_name: address?.party_name || recipient.name,
    phone_number: recipient.phone || null,
    email_address: recipient.email || null,
  }
}
