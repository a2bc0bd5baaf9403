/** The body of an order that the sandbox takes. */
export const anOrder = (more: object = {}) => ({
  order_number: `T-${crypto.randomUUID().slice(0, 8)}`,
  ship_to_address: { address1: '12 Main Street', city: 'Portland', state: 'OR', postal_code: '97209', country: 'US' },
  line_items: [{ product_id: 'A1001', quantity: 2 }],
  ...more,
})
