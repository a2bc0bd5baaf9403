import { Type } from 'typebox'
import { textOrNull } from './define.ts'

const place = {
  address1: textOrNull,
  address2: textOrNull,
  address3: textOrNull,
  city: textOrNull,
  state: textOrNull,
  postal_code: textOrNull,
  country: textOrNull,
}

/** Where goods come from or are kept. */
export const address = Type.Object(place)

/** Where goods go to, and who receives them. */
export const contactAddress = Type.Object({
  ...place,
  full_name: textOrNull,
  company: textOrNull,
  phone_number: textOrNull,
  email_address: textOrNull,
})
