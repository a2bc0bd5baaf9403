import type { SealedColumn } from '../db/reseal.ts'
import type { Credentials } from '../integrations/define.ts'
import type { Vault } from '../secrets.ts'
import type { Connection } from './find-connections.ts'

/** @returns as it is stored */
export const sealAccessToken = (vault: Vault, connectionId: string, accessToken: string): Buffer =>
  vault.seal(accessToken, tokenPurpose(connectionId))

export const openAccessToken = (vault: Vault, { id, tokenSealed }: Pick<Connection, 'id' | 'tokenSealed'>): string =>
  vault.open(tokenSealed, tokenPurpose(id))

/** @returns as they are stored */
export const sealCredentials = (vault: Vault, connectionId: string, credentials: Credentials): Buffer =>
  vault.seal(JSON.stringify(credentials), credentialsPurpose(connectionId))

export const openCredentials = (vault: Vault, { id, credentialsSealed }: Connection): Credentials =>
  JSON.parse(vault.open(credentialsSealed, credentialsPurpose(id)))

/** What is sealed of connections. */
export const sealedConnectionColumns: readonly SealedColumn[] = [
  { table: 'connections', id: 'id', column: 'token_sealed', purpose: (id) => tokenPurpose(id) },
  { table: 'connections', id: 'id', column: 'credentials_sealed', purpose: (id) => credentialsPurpose(id) },
  { table: 'sandboxes', id: 'connection_id', column: 'token_sealed', purpose: (id) => tokenPurpose(id) },
]

const tokenPurpose = (connectionId: string) => `access token of ${connectionId}`
const credentialsPurpose = (connectionId: string) => `credentials of ${connectionId}`
