import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isKeepable, keepable, keepableJson } from './keepable.ts'

const texts = ['', 'plain', 'a\0b', '\ud83d', '\udc4d\ud83d', '👍', '\\u0000', '\\\0', '\\\\ud83d', '"\n\u001f', 'a�']

test('what cannot be kept becomes U+FFFD in texts, and in the names and texts of JSON; the rest stays', () => {
  for (const text of texts) {
    const kept = keepable(text)
    assert.ok(isKeepable(kept))
    assert.equal(kept.length, text.length)
    assert.equal(kept === text, isKeepable(text))
    assert.deepEqual(JSON.parse(keepableJson(JSON.stringify({ [text]: [text] }))), { [kept]: [kept] })
  }
})
