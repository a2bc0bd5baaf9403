import { Type } from 'typebox'
import { oneOf } from '../resources/define.ts'
import { resources } from '../resources/index.ts'

/** Names of functions as requests may give them: every read, and every write that an integration may have. */
export const knownFunctions = [
  ...new Set([
    ...resources.map((resource) => resource.readAction),
    'create_order',
    'update_order',
    'cancel_order',
    'create_order_shipment',
    'attach_file',
    'create_product',
    'update_product',
    'create_kit',
    'update_kit',
    'create_inbound_shipment',
    'update_inbound_shipment',
    'create_receipt',
    'create_return',
    'update_return',
    'cancel_return',
    'adjust_inventory',
    'batch_adjust_inventory',
    'refund_order',
    'get_shipments',
    'get_invoice_line_items',
    'get_files',
    'get_inbound_shipment',
  ]),
]

/** A list of function names. */
export const functionList = Type.Array(oneOf(...knownFunctions), { maxItems: 200 })

/** The singular that components may send stands for the list. */
export const canonicalFunctions = (names: readonly string[]): string[] =>
  names.map((name) => (name === 'get_inbound_shipment' ? 'get_inbound_shipments' : name))
