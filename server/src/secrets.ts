import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'

const opaque = (prefix: string) => prefix + randomBytes(32).toString('base64url')

export const newApiKey = (scope: 'full' | 'read') => opaque(scope === 'full' ? 'sk_' : 'rk_')
export const newAccessToken = () => opaque('at_')
export const newLinkToken = () => opaque('lt_')
export const newAuthCode = () => opaque('ac_')
export const newOperatorKey = () => opaque('op_')
export const newWarehouseKey = () => opaque('wh_')

/** SHA-256; enough for secrets of 256 random bits, which nobody can try out. */
export function hashSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest()
}

/**
 * Seals what must be read again, with AES-256-GCM. A sealed value is
 * `version (1) · key id (4) · nonce (12) · tag (16) · ciphertext`; the key id tells which key opens it, so keys can be
 * replaced while the service runs. `purpose` is bound to the value: it opens only where it was sealed for.
 */
export class Vault {
  readonly #keys: Map<string, Buffer>
  readonly #current: Buffer
  /** First five bytes of everything sealed with the current key. */
  readonly currentHeader: Buffer
  /** First five bytes of everything that can be opened. */
  readonly headers: readonly Buffer[]

  /** @param keys 32 bytes each, the current one first */
  constructor(keys: readonly Buffer[]) {
    this.#keys = new Map(keys.map((key) => [keyId(key).toString('hex'), key]))
    this.#current = keys[0]!
    this.currentHeader = headerOf(this.#current)
    this.headers = keys.map(headerOf)
  }

  seal(plain: string, purpose: string): Buffer {
    const nonce = randomBytes(12)
    const cipher = createCipheriv('aes-256-gcm', this.#current, nonce).setAAD(Buffer.from(purpose))
    const sealed = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()])
    return Buffer.concat([this.currentHeader, nonce, cipher.getAuthTag(), sealed])
  }

  /** @throws Error when the value was changed, sealed for another purpose, or its key is not configured */
  open(sealed: Buffer, purpose: string): string {
    const key = sealed[0] === version ? this.#keys.get(sealed.subarray(1, 5).toString('hex')) : undefined
    if (!key) throw new Error('A sealed value names a key that is not in ENCRYPTION_KEY or ENCRYPTION_KEYS_OLD')
    const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(5, 17), { authTagLength: 16 }).setAAD(
      Buffer.from(purpose),
    )
    decipher.setAuthTag(sealed.subarray(17, 33))
    return decipher.update(sealed.subarray(33), undefined, 'utf8') + decipher.final('utf8')
  }
}

const version = 1
const keyId = (key: Buffer) => createHash('sha256').update(key).digest().subarray(0, 4)
const headerOf = (key: Buffer) => Buffer.concat([Buffer.of(version), keyId(key)])
