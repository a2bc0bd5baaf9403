import { Type } from 'typebox'
import { integrationTypes, oneOf } from '../resources/define.ts'
import { functionNames } from '../resources/index.ts'

/** Functions of types that have no resources yet, and a singular that components may send. */
const otherFunctions = [
  'batch_adjust_inventory',
  'refund_order',
  'get_shipments',
  'get_invoice_line_items',
  'get_files',
  'get_inbound_shipment',
]

/** Names of functions as requests may give them. */
export const knownFunctions = [...new Set([...integrationTypes.flatMap(functionNames), ...otherFunctions])]

/** A list of function names. */
export const functionList = Type.Array(oneOf(...knownFunctions), { maxItems: 200 })

/** The singular that components may send stands for the list. */
export const canonicalFunctions = (names: readonly string[]): string[] =>
  names.map((name) => (name === 'get_inbound_shipment' ? 'get_inbound_shipments' : name))
