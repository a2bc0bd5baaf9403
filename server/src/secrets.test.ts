import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { hashSecret, newAccessToken, newApiKey, newAuthCode, newLinkToken, newOperatorKey, Vault } from './secrets.ts'

const [key, other] = [randomBytes(32), randomBytes(32)]

test('what is sealed opens again, whatever the text', () => {
  const vault = new Vault([key])
  for (const plain of ['', 'secret', 'é💥\0', 'x'.repeat(100_000)]) {
    assert.equal(vault.open(vault.seal(plain, 'token of 1'), 'token of 1'), plain)
  }
})

test('a sealed value shows nothing of its text and is never the same twice', () => {
  const vault = new Vault([key])
  const [one, two] = [vault.seal('the same secret', 'p'), vault.seal('the same secret', 'p')]
  assert.ok(!one.includes('secret'))
  assert.notDeepEqual(one, two)
})

test('a value opens only for the purpose it was sealed for', () => {
  const vault = new Vault([key])
  const sealed = vault.seal('secret', 'token of 1')
  for (const purpose of ['token of 2', 'token of', '', 'credentials of 1']) {
    assert.throws(() => vault.open(sealed, purpose))
  }
})

test('a value changed or cut anywhere does not open', () => {
  const vault = new Vault([key])
  const sealed = vault.seal('secret', 'p')
  for (let at = 0; at < sealed.length; at++) {
    const changed = Buffer.from(sealed)
    changed[at]! ^= 1
    assert.throws(() => vault.open(changed, 'p'), `byte ${at} changed`)
    assert.throws(() => vault.open(sealed.subarray(0, at), 'p'), `cut at ${at}`)
  }
  assert.throws(() => vault.open(Buffer.concat([sealed, Buffer.of(0)]), 'p'))
})

test('after a rotation old values open, new ones are sealed with the new key', () => {
  const before = new Vault([key])
  const rotated = new Vault([other, key])
  const sealed = before.seal('secret', 'p')
  assert.equal(rotated.open(sealed, 'p'), 'secret')
  assert.ok(!sealed.subarray(0, 5).equals(rotated.currentHeader))
  const resealed = rotated.seal('secret', 'p')
  assert.ok(resealed.subarray(0, 5).equals(rotated.currentHeader))
  assert.equal(new Vault([other]).open(resealed, 'p'), 'secret')
})

test('a value whose key is gone names the settings that could bring it back', () => {
  const sealed = new Vault([key]).seal('secret', 'p')
  assert.throws(() => new Vault([other]).open(sealed, 'p'), /ENCRYPTION_KEY or ENCRYPTION_KEYS_OLD/)
})

test('every secret is 256 random bits behind a prefix that tells what it is', () => {
  const makers = {
    sk_: () => newApiKey('full'),
    rk_: () => newApiKey('read'),
    at_: newAccessToken,
    lt_: newLinkToken,
    ac_: newAuthCode,
    op_: newOperatorKey,
  }
  for (const [prefix, make] of Object.entries(makers)) {
    const made = make()
    assert.ok(made.startsWith(prefix))
    assert.equal(Buffer.from(made.slice(prefix.length), 'base64url').length, 32)
    assert.notEqual(made, make())
  }
})

test('a hash is SHA-256', () => {
  const known = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'
  assert.equal(hashSecret('abc').toString('hex'), known)
})
