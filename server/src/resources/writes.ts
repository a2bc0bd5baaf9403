import type { Write } from './define-write.ts'
import { createInboundShipment, createReceipt, updateInboundShipment } from './wms/writes/inbound-shipments.ts'
import { adjustInventory } from './wms/writes/inventory.ts'
import { attachFile, cancelOrder, createOrder, createOrderShipment, updateOrder } from './wms/writes/orders.ts'
import { createKit, createProduct, updateKit, updateProduct } from './wms/writes/products.ts'
import { cancelReturn, createReturn, updateReturn } from './wms/writes/returns.ts'

/** Every way to write a resource. */
export const writes: readonly Write[] = Object.freeze([
  createOrder,
  updateOrder,
  cancelOrder,
  createOrderShipment,
  attachFile,
  createProduct,
  updateProduct,
  createKit,
  updateKit,
  createInboundShipment,
  updateInboundShipment,
  createReceipt,
  createReturn,
  updateReturn,
  cancelReturn,
  adjustInventory,
])
