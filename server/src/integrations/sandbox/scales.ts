import type { Address, Box, Document } from './documents.ts'

/** The common fields of every record. */
export const stamp = ({ id, created, modified }: Document) => ({ id, created_date: created, updated_date: modified })

export const toMoney = (cents: number) => cents / 100

export const toMeasurements = (box: Box) => ({
  length: box.length_cm,
  width: box.width_cm,
  height: box.height_cm,
  unit: 'cm' as const,
  weight: box.mass_g / 1000,
  weight_unit: 'kg' as const,
})

export const toAddress = (address: Address) => ({
  address1: address.street,
  address2: address.street2,
  city: address.city,
  state: address.region,
  postal_code: address.zip,
  country: address.country,
})

export const toContactAddress = (address: Address) => ({
  ...toAddress(address),
  full_name: address.name,
  company: address.company,
  phone_number: address.phone,
  email_address: address.email,
})
