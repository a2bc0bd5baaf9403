import type { Address, Box, Document } from './documents.ts'

/** The common fields of every record. */
export const stamp = ({ id, created, modified }: Document) => ({ id, created_date: created, updated_date: modified })

export function toMoney(cents: number): number
export function toMoney(cents: number | null): number | null
export function toMoney(cents: number | null) {
  return cents === null ? null : cents / 100
}

/** A unit is told of what is known. */
export function toMeasurements({ length_cm: length, width_cm: width, height_cm: height, mass_g }: Box) {
  const isSized = length !== null || width !== null || height !== null
  return {
    length,
    width,
    height,
    unit: isSized ? ('cm' as const) : null,
    weight: mass_g === null ? null : Math.round(mass_g * 1000) / 1e6,
    weight_unit: mass_g === null ? null : ('kg' as const),
  }
}

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
