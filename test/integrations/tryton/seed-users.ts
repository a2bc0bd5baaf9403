import type { Company } from './seed-company.ts'
import type { TrytonClient } from './tryton-client.ts'

/**
 * `crossdock`, who may read all that a connection reads: membership of Stock is enough. `limited`, who belongs to no
 * group and so may see products and parties, but no stock, lots or shipments.
 */
export async function seedUsers(admin: TrytonClient, company: Company) {
  const [stock] = await admin.searchRead('res.group', [['name', '=', 'Stock']], [])
  const works = { companies: [['add', [company.id]]], company: company.id }
  const crossdock = { login: 'crossdock', password: 'Vol9-quartz-Jump5' }
  const limited = { login: 'limited', password: 'Kew7-birch-Lamp3' }
  await admin.create('res.user', [
    { ...crossdock, ...works, name: 'Crossdock', groups: [['add', [stock!.id]]] },
    { ...limited, ...works, name: 'Without stock rights' },
  ])
  return { crossdock, limited }
}
