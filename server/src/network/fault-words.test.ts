import assert from 'node:assert/strict'
import { test } from 'node:test'
import { faultWords } from './fault-words.ts'

const failed = (code: string, cause?: Error) => Object.assign(new Error('connect 10.1.2.3:443', { cause }), { code })

test('a network error is told in words, whichever of its causes is known, and never by an address', () => {
  assert.equal(faultWords(failed('ECONNREFUSED')), 'The connection was refused')
  assert.equal(faultWords(failed('UND_ERR', failed('ENOTFOUND'))), 'The host name does not exist')
  assert.equal(
    faultWords(failed('DEPTH_ZERO_SELF_SIGNED_CERT')),
    'No secure connection can be made (DEPTH_ZERO_SELF_SIGNED_CERT)',
  )
  assert.equal(faultWords(failed('EPROTO')), 'The connection failed (EPROTO)')
  assert.equal(faultWords(new Error('10.1.2.3')), 'The connection failed (unknown reason)')
})
