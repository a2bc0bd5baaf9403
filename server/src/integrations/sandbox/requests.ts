import { type Static, type TSchema, Type } from 'typebox'

/** What the simulated warehouse system takes, in its own vocabulary. Money is in cents, lengths are centimetres. */
export type WarehouseRequests = { [Name in keyof typeof requests]: Static<(typeof requests)[Name]> }

const text = Type.String({ maxLength: 2000 })
const count = Type.Integer({ minimum: 1, maximum: 1_000_000 })
const cents = Type.Integer({ minimum: 0, maximum: 1e12 })
const size = Type.Number({ minimum: 0, maximum: 1e9 })
const box = Type.Partial(Type.Object({ length_cm: size, width_cm: size, height_cm: size, mass_g: size }))
const list = <Item extends TSchema>(item: Item) => Type.Array(item, { minItems: 1, maxItems: 1000 })

const shipTo = Type.Partial(
  Type.Object({
    name: text,
    company: text,
    street: text,
    street2: text,
    city: text,
    region: text,
    zip: text,
    country: text,
  }),
)
const orderLine = Type.Partial(
  Type.Object({ article: text, sku: text, qty: count, price_cents: cents, discount_cents: cents }),
)
const order = Type.Partial(
  Type.Object({
    number: text,
    reference: text,
    channel: text,
    buyer: text,
    service: text,
    service_wish: text,
    currency: text,
    paid_cents: cents,
    tax_cents: cents,
    discount_cents: cents,
    shipping_cents: cents,
    ship_to: shipTo,
    lines: list(orderLine),
    state: text,
  }),
)
const goods = Type.Object({ sku: text, qty: count })
const article = Type.Partial(Type.Object({ sku: text, title: text, ean: text, box, parts: list(goods) }))
const asn = Type.Partial(
  Type.Object({ vendor: text, po_number: text, eta: text, facility: text, tracking: text, lines: list(goods) }),
)
const reason = Type.Object({ code: text, text: Type.Optional(text) })
const rma = Type.Partial(
  Type.Object({
    number: text,
    order: text,
    facility: text,
    tracking: text,
    lines: list(Type.Object({ sku: text, qty: count, reason: Type.Optional(reason) })),
  }),
)

export const requests = {
  addOrder: Type.Interface([order], { number: text, lines: list(orderLine) }),
  changeOrder: order,
  dispatch: Type.Object({
    facility: Type.Optional(text),
    dispatched: Type.Optional(text),
    service: Type.Optional(text),
    carrier: Type.Optional(text),
    cost_cents: Type.Optional(cents),
    box: Type.Optional(box),
    parcels: list(
      Type.Object({ no: Type.Optional(text), tracking: Type.Optional(text), tracking_url: Type.Optional(text) }),
    ),
    lines: Type.Optional(list(goods)),
  }),
  attach: Type.Object({
    name: text,
    address: Type.Optional(text),
    base64: Type.Optional(Type.String({ maxLength: 32 * 1024 * 1024 })),
  }),
  fulfil: Type.Object({ partial: Type.Boolean() }),
  addArticle: Type.Interface([article], { sku: text, title: text }),
  changeArticle: article,
  addAsn: Type.Interface([asn], { vendor: text, po_number: text, eta: text, facility: text, lines: list(goods) }),
  changeAsn: asn,
  receive: Type.Object({ slot: text, lines: list(goods) }),
  addRma: Type.Interface([rma], {
    number: text,
    order: text,
    lines: list(Type.Object({ sku: text, qty: count, reason: Type.Optional(reason) })),
  }),
  changeRma: rma,
  correct: Type.Object({
    qty: count,
    direction: Type.Union([Type.Literal('up'), Type.Literal('down')]),
    facility: text,
    slot: Type.Optional(text),
  }),
}
