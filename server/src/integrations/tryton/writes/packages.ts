import type { Row, TrytonClient } from '../client.ts'
import { refused } from './record.ts'

/**
 * Puts what was picked into one package that bears the tracking number, or the number on the packages there are.
 * @throws IntegrationError `rejected` without the modules for packages
 */
export async function track(client: TrytonClient, shipment: number, trackingNumber: string): Promise<void> {
  if (!(await client.has('stock.package', 'shipping_reference'))) {
    throw refused('Tryton keeps tracking numbers only with its module stock_package_shipping activated')
  }
  const [found] = await client.read<Row & { packages: number[]; outgoing_moves: number[] }>({
    model: 'stock.shipment.out',
    domain: [['id', '=', shipment]],
    fields: ['packages', 'outgoing_moves'],
  })
  const { packages, outgoing_moves } = found!
  if (packages.length > 0) {
    for (const id of packages) await client.change('stock.package', id, { shipping_reference: trackingNumber })
    return
  }
  const [known] = await client.read({ model: 'stock.package.type', fields: [], limit: 1 })
  await client.create('stock.package', {
    shipment: `stock.shipment.out,${shipment}`,
    type: known?.id ?? (await client.create('stock.package.type', { name: 'Package' })),
    shipping_reference: trackingNumber,
    moves: [['add', outgoing_moves]],
  })
}
