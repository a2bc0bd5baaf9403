import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createApiKey } from '../organizations/api-keys.ts'
import { type Answer, type Door, openDoor } from './door.fixture.ts'

let door: Door
before(async () => {
  door = await openDoor({ rateLimit: { readPerSecond: 3, writePerSecond: 5 } })
})
after(() => door.close())

const newKey = async () => (await createApiKey(door.db, door.organization.id, 'full')).key
const times = (count: number, call: () => Promise<Answer>) => Promise.all(Array.from({ length: count }, call))
const header = (name: string) => (answer: Answer) => answer.headers.get(name)

test('reads beyond the limit are 429 and say when to come back', async () => {
  const key = await newKey()
  const answers = await times(5, () => door.call('GET', '/api-keys', { key }))
  const passed = answers.filter(({ status }) => status === 200)
  const refused = answers.filter(({ status }) => status === 429)
  assert.deepEqual([passed.length, refused.length], [3, 2])
  assert.deepEqual(passed.map(header('x-ratelimit-remaining')).sort(), ['0', '1', '2'])
  for (const answer of answers) {
    assert.equal(answer.headers.get('x-ratelimit-limit'), '3')
    const resetMs = Number(answer.headers.get('x-ratelimit-reset')) * 1000 - Date.now()
    assert.ok(resetMs > -1000 && resetMs <= 2000, `resets in ${resetMs} ms`)
  }
  for (const { headers, body } of refused) {
    assert.deepEqual([headers.get('retry-after'), headers.get('x-ratelimit-remaining')], ['1', '0'])
    assert.deepEqual(body, { error: 'Too many requests; try again in 1 s', origin: 'service' })
    assert.ok(headers.get('x-request-id'))
  }
  assert.deepEqual(passed.map(header('retry-after')), [null, null, null])
})

test('writes have a limit of their own, and every key its own count', async () => {
  const [key, other] = [await newKey(), await newKey()]
  const writes = await times(6, () => door.call('DELETE', '/api-keys/x', { key }))
  assert.equal(writes.filter(({ status }) => status === 429).length, 1)
  assert.equal((await door.call('GET', '/api-keys', { key })).status, 200)
  assert.equal((await door.call('DELETE', '/api-keys/x', { key: other })).status, 404)
})

test('a wrong key is told so however often it comes', async () => {
  const answers = await times(8, () => door.call('GET', '/api-keys', { key: 'sk_wrong' }))
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([401]))
})
