/** The states of an order, from taken to left, and where it may get stuck. */
export const orderStates = [
  'NEW',
  'ACCEPTED',
  'PICKING',
  'PICKED',
  'PACKED',
  'PART_SHIPPED',
  'SHIPPED',
  'BACKORDER',
  'HELD',
  'CANCELLED',
  'CUSTOMS_REVIEW',
] as const
export type OrderState = (typeof orderStates)[number]
