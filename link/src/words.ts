/** `get_inbound_shipments` → `Inbound shipments` */
export function readingOf(functionName: string): string {
  return sentence(functionName.replace(/^get_/, ''))
}

/** `create_order` → `Create order` */
export const writingOf = (functionName: string): string => sentence(functionName)

/** What systems of a type are called. */
export const kindOf = (integrationType: string | undefined): string => kinds[integrationType ?? 'wms'] ?? 'system'

/** `AC` for Acme Cargo. */
export function initialsOf(name: string): string {
  const words = name.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '')
  return words
    .slice(0, 2)
    .map((word) => [...word][0]!.toUpperCase())
    .join('')
}

/** `Orders, Products and Returns` */
export const listOf = (names: readonly string[]): string => new Intl.ListFormat('en').format(names)

const sentence = (name: string) => {
  const words = name.replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

const kinds: Record<string, string> = {
  wms: 'warehouse system',
  cart: 'shop',
  carrier: 'carrier',
  freight: 'freight forwarder',
  erp: 'ERP system',
}
