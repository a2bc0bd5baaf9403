/**
 * What the simulated warehouse system answers, in its own vocabulary. Instants are ISO 8601 UTC strings, money is in
 * cents, lengths are centimetres, masses grams; null is what it does not know. States are open lists: a warehouse may
 * define its own.
 */
export interface WarehouseDocuments {
  facilities: Facility
  slots: Slot
  clients: Client
  vendors: Vendor
  services: Service
  'sales-channels': SalesChannel
  articles: Article
  stock: Stock
  movements: Movement
  orders: Order
  asns: Asn
  rmas: Rma
  charges: Charge
  tasks: Task
}

export type Kind = keyof WarehouseDocuments

export interface Document {
  id: string
  created: string
  modified: string
}

export interface Address {
  name: string | null
  company: string | null
  street: string | null
  street2: string | null
  city: string | null
  region: string | null
  zip: string | null
  country: string | null
  phone: string | null
  email: string | null
}

export interface Box {
  length_cm: number | null
  width_cm: number | null
  height_cm: number | null
  mass_g: number | null
}

export interface Facility extends Document {
  code: string
  title: string
  address: Address
}

export interface Slot extends Document {
  label: string
  facility: string
  category: string
  box: Box
}

/** A merchant whose goods the warehouse keeps. */
export interface Client extends Document {
  title: string
  mail: string | null
}

export interface Vendor extends Document {
  title: string
  client: string
}

export interface Service extends Document {
  title: string
  carrier: Carrier
}

export interface Carrier {
  code: string
  title: string
  scac: string
}

export interface SalesChannel extends Document {
  title: string
  client: string
}

/** Something that can be ordered: one stock item, or a kit of several. */
export interface Article extends Document {
  client: string
  sku: string
  title: string
  ean: string | null
  price_cents: number | null
  state: string
  kit: boolean
  parts: { stock: string; sku: string; qty: number }[]
  sourcing: { vendor: string; vendor_title: string; vendor_code: string; cost_cents: number }[]
  origin: string | null
  hs_code: string | null
}

export interface Stock extends Document {
  client: string
  sku: string
  title: string
  cost_cents: number | null
  state: string
  replaced_by: string[]
  box: Box
  levels: { facility: string; on_hand: number; allocated: number; quarantined: number; expected: number }[]
  positions: { facility: string; slot: string; qty: number }[]
  lots: { lot: string; facility: string; qty: number; best_before: string | null }[]
}

/** An entry of the stock ledger. `qty` is signed, except for `SLOT_MOVE`, which changes no quantity on hand. */
export interface Movement extends Document {
  client: string
  stock: string
  sku: string
  facility: string
  slot: string
  code: string
  qty: number
  note: string | null
  cause: { kind: 'orders' | 'asns' | 'rmas'; id: string } | null
}

export interface Order extends Document {
  number: string
  reference: string | null
  client: string
  facility: string
  state: string
  flow: string
  channel: { id: string; title: string }
  buyer: string | null
  service: { id: string; title: string; carrier: Carrier }
  service_wish: string | null
  freight_account: string | null
  currency: string
  paid_cents: number | null
  tax_cents: number | null
  discount_cents: number | null
  shipping_cents: number | null
  ship_to: Address
  ship_by: string | null
  saturday: boolean
  signature: boolean
  duties: string | null
  labels: string[]
  lines: OrderLine[]
  /** Stock reserved for what has not left yet. */
  allocations: { stock: string; qty: number }[]
  consignments: Consignment[]
  /** What was attached; left out where nothing was. */
  files?: { name: string; bytes: number | null; address: string | null }[]
}

export interface OrderLine {
  article: string
  sku: string
  qty: number
  price_cents: number | null
  discount_cents: number | null
  picked: boolean
}

export interface Consignment {
  no: string
  facility: string
  state: string
  dispatched: string | null
  from: Address
  parcels: Parcel[]
}

export interface Parcel {
  no: string
  title: string | null
  service: { id: string; title: string; carrier: Carrier }
  tracking: string | null
  tracking_url: string | null
  cost_cents: number | null
  box: Box
  contents: ParcelContent[]
}

export interface ParcelContent {
  stock: string
  sku: string
  qty: number
  /** The article that was ordered when this is a part of a kit. */
  kit: string | null
  lot: string | null
  best_before: string | null
}

/** An announced delivery of a vendor to the warehouse. */
export interface Asn extends Document {
  client: string
  facility: string
  po_number: string
  vendor: { id: string; title: string }
  state: string
  eta: string
  origin: Address
  trackings: string[]
  remarks: string[]
  lines: {
    stock: string
    sku: string
    announced: number
    received: number
    cost_cents: number | null
    vendor_code: string | null
  }[]
  receipts: { no: string; at: string; lines: { stock: string; sku: string; qty: number }[] }[]
}

export interface Rma extends Document {
  number: string
  client: string
  facility: string
  order: string
  state: string
  remarks: string[]
  lines: RmaLine[]
  parcels: {
    tracking: string
    carrier: Carrier | null
    sent: string | null
    arrived: string | null
    cost_cents: number | null
    box: Box
  }[]
}

export interface RmaLine {
  stock: string
  sku: string
  announced: number
  reason: { code: string; text: string } | null
  /** What was found on arrival. */
  findings: { qty: number; condition: string; disposition: string }[]
}

export interface Charge extends Document {
  client: string
  type: string
  cents: number
  currency: string
  about: { kind: string; id: string } | null
}

/** A piece of work of one worker. */
export interface Task extends Document {
  client: string
  facility: string
  worker: { id: string; first_name: string; last_name: string }
  activity: string
  started: string
  ended: string | null
  about: { kind: 'orders' | 'asns' | 'rmas' | 'stock'; id: string } | null
  qty: number | null
}
