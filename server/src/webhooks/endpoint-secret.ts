import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto'
import { type RawBuilder, sql } from 'kysely'
import { LRUCache } from 'lru-cache'
import type { SealedColumn } from '../db/reseal.ts'
import type { Vault } from '../secrets.ts'

/** 256 bits as Standard Webhooks writes them: `whsec_` and base64. */
export const newEndpointSecret = () => `${prefix}${randomBytes(32).toString('base64')}`

export const sealEndpointSecret = (vault: Vault, endpointId: string, secret: string) =>
  vault.seal(secret, secretPurpose(endpointId))

export const openEndpointSecret = (vault: Vault, endpointId: string, sealed: Buffer) =>
  vault.open(sealed, secretPurpose(endpointId))

/** Makes the function that opens sealed secrets to sign with; it remembers those it has opened. */
export function signingKeys(vault: Vault): (endpointId: string, sealed: Buffer) => KeyObject {
  const opened = new LRUCache<string, KeyObject>({ max: 10_000 })
  return (endpointId, sealed) => {
    const name = endpointId + sealed.toString('latin1')
    const known = opened.get(name)
    if (known) return known
    const secret = openEndpointSecret(vault, endpointId, sealed)
    const key = createSecretKey(secret.slice(prefix.length), 'base64')
    opened.set(name, key)
    return key
  }
}

/** SQL for the sealed secrets of an endpoint that were rotated away and sign along until they expire. */
export const retiredSecretsOf = (endpointId: RawBuilder<unknown>, now: Date) => sql<Buffer[]>`array(
  select retired.secret_sealed from webhook_retired_secrets retired
  where retired.endpoint_id = ${endpointId} and retired.expires_at > ${now} order by retired.expires_at desc)`

/** What is sealed of endpoints. */
export const sealedEndpointColumns: readonly SealedColumn[] = [
  { table: 'webhook_endpoints', id: 'id' },
  { table: 'webhook_retired_secrets', id: 'endpoint_id' },
].map((place) => ({ ...place, column: 'secret_sealed', purpose: (id) => secretPurpose(id) }))

const prefix = 'whsec_'
const secretPurpose = (endpointId: string) => `webhook secret of ${endpointId}`
