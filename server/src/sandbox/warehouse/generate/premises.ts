import type {
  Address,
  Carrier,
  Client,
  Facility,
  SalesChannel,
  Service,
  Slot,
  Vendor,
} from '../../../integrations/sandbox/documents.ts'
import type { Calendar } from './calendar.ts'

/** What is there before any goods move: buildings, merchants, vendors, carriers, channels. */
export interface Premises {
  facilities: Facility[]
  slots: Slot[]
  clients: Client[]
  vendors: Vendor[]
  services: Service[]
  channels: SalesChannel[]
}

export function premises(calendar: Calendar): Premises {
  const founded = calendar.daysAgo(400)
  const stamped = <Fields extends { id: string }>(fields: Fields) => ({
    ...fields,
    created: founded,
    modified: founded,
  })

  const facilities = sites.map(([code, title, street, street2, city, region, zip], index) => {
    const place = { company: title, street, street2, city, region, zip, country: 'US' }
    return stamped({ id: `F${index + 1}`, code, title, address: address(place) })
  })
  const clients = ranges.map(({ title }, index) =>
    stamped({ id: `C${index + 1}`, title, mail: `logistics@${title.toLowerCase().replace(' ', '-')}.example` }),
  )
  return {
    facilities,
    slots: facilities.flatMap((facility) =>
      shelving.map(({ label, category, box }) =>
        stamped({ id: `${facility.id}-${label}`, label, facility: facility.id, category, box }),
      ),
    ),
    clients,
    vendors: clients.flatMap((client, index) =>
      ['Domestic', 'Overseas'].map((reach, other) =>
        stamped({ id: `V${index * 2 + other + 1}`, title: `${reach} ${client.title} Supply`, client: client.id }),
      ),
    ),
    services: offers.map(([title, carrier], index) => stamped({ id: `S${index + 1}`, title, carrier })),
    channels: clients.flatMap((client) =>
      ['Web Shop', 'Marketplace', 'Wholesale'].map((title) =>
        stamped({ id: `${client.id}-${title.toLowerCase().replace(' ', '-')}`, title, client: client.id }),
      ),
    ),
  }
}

/** Assortment of each merchant: every noun in every variant is one stock item. */
export const ranges = [
  {
    title: 'Outdoor Goods',
    prefix: 'OUT',
    nouns: ['Tent', 'Sleeping Bag', 'Backpack', 'Rain Jacket', 'Camp Stove', 'Trekking Poles'],
    variants: ['Small', 'Medium', 'Large'],
  },
  {
    title: 'Home Textiles',
    prefix: 'HOM',
    nouns: ['Bath Towel', 'Duvet Cover', 'Pillow Case', 'Curtain', 'Table Cloth', 'Rug'],
    variants: ['White', 'Grey', 'Blue'],
  },
  {
    title: 'Pet Supplies',
    prefix: 'PET',
    nouns: ['Dog Food', 'Cat Food', 'Dog Treats', 'Leash', 'Pet Bed', 'Scratching Post'],
    variants: ['Classic', 'Plus', 'Premium'],
  },
  {
    title: 'Natural Foods',
    prefix: 'NAT',
    nouns: ['Oat Food Bar', 'Green Tea', 'Olive Oil', 'Honey', 'Muesli', 'Dried Fruit'],
    variants: ['250 g', '500 g', '1 kg'],
  },
] as const

/** The slot of a facility where goods wait that must not be shipped. */
export const quarantineSlot = (facility: string) => `${facility}-Q-01`

/** The facilities that keep a merchant's goods. */
export const homes = (client: string): [string, string] =>
  [
    ['F1', 'F2'] as [string, string],
    ['F1', 'F3'] as [string, string],
    ['F2', 'F3'] as [string, string],
    ['F1', 'F2'] as [string, string],
  ][Number(client.slice(1)) - 1]!

export function address(known: Partial<Address>): Address {
  return {
    name: null,
    company: null,
    street: null,
    street2: null,
    city: null,
    region: null,
    zip: null,
    country: null,
    phone: null,
    email: null,
    ...known,
  }
}

export const towns = [
  ['Portland', 'OR', '97209'],
  ['Austin', 'TX', '78701'],
  ['Denver', 'CO', '80202'],
  ['Madison', 'WI', '53703'],
  ['Savannah', 'GA', '31401'],
  ['Boise', 'ID', '83702'],
  ['Buffalo', 'NY', '14202'],
  ['Tucson', 'AZ', '85701'],
  ['Richmond', 'VA', '23219'],
  ['Omaha', 'NE', '68102'],
] as const

const sites = [
  ['RNO', 'Reno Fulfillment Center', '4500 Industrial Way', null, 'Reno', 'NV', '89502'],
  ['CMH', 'Columbus Fulfillment Center', '210 Logistics Parkway', 'Building 2', 'Columbus', 'OH', '43217'],
  ['ATL', 'Atlanta Fulfillment Center', '88 Terminal Road', null, 'Atlanta', 'GA', '30354'],
] as const

const row = (prefix: string, count: number, category: string, length_cm: number, width_cm: number, height_cm: number) =>
  Array.from({ length: count }, (_, index) => ({
    label: `${prefix}-${String(index + 1).padStart(2, '0')}`,
    category,
    box: { length_cm, width_cm, height_cm, mass_g: null },
  }))

const shelving = [
  ...row('P', 8, 'PALLET', 120, 100, 150),
  ...row('B', 8, 'BIN', 60, 40, 32),
  ...row('H', 3, 'SHELF', 200, 60, 45),
  ...row('Q', 1, 'SHELF', 200, 60, 45),
]

const ups: Carrier = { code: 'ups', title: 'UPS', scac: 'UPSN' }
const fedex: Carrier = { code: 'fedex', title: 'FedEx', scac: 'FDEG' }
const offers = [
  ['UPS Ground', ups],
  ['UPS 2nd Day Air', ups],
  ['FedEx Home Delivery', fedex],
  ['FedEx 2Day', fedex],
  ['USPS Ground Advantage', { code: 'usps', title: 'USPS', scac: 'USPS' }],
  ['XPO LTL', { code: 'xpo', title: 'XPO', scac: 'CNWY' }],
] as const satisfies (readonly [string, Carrier])[]
