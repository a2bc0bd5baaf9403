import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '../errors.ts'
import { cutPage, type List, readPageToken, writePageToken } from './pages.ts'

const instant = '2026-11-20T08:15:30.123Z'
const shape = ['instant', 'text'] as const
const list = (name: string, ownerId: string | null = 'a'): List => ({ name, ownerId })
const orders = list('orders')
const refused = (token: string, of = orders, as: Parameters<typeof readPageToken>[2] = shape) =>
  assert.throws(
    () => readPageToken(token, of, as),
    (error) => error instanceof ApiError && error.status === 422 && 'page_token' in (error.detail?.query ?? {}),
    token,
  )

test('a page token gives back the key it was written with', () => {
  assert.deepEqual(readPageToken(writePageToken(orders, [instant, 'é"7']), orders, shape), [instant, 'é"7'])
})

test('no token and an empty one begin the list', () => {
  assert.equal(readPageToken(undefined, orders, shape), null)
  assert.equal(readPageToken('', orders, shape), null)
})

test('a token of another list, or of the same list of another owner, is refused', () => {
  for (const other of [list('returns'), list('orders', 'b'), list('orders', null)]) {
    refused(writePageToken(other, [instant, '7']))
    refused(writePageToken(orders, [instant, '7']), other)
  }
})

test('a token cut or changed anywhere is refused', () => {
  const token = writePageToken(orders, [instant, '7'])
  for (let at = 0; at < token.length; at++) {
    refused(token.slice(0, at) || 'x')
    refused(token.slice(0, at) + (token[at] === 'A' ? 'B' : 'A') + token.slice(at + 1))
  }
  for (const other of [
    `${token}A`,
    ` ${token}`,
    'null',
    '%00',
    '\0',
    Buffer.from('["orders"]').toString('base64url'),
  ]) {
    refused(other)
  }
})

test('a token whose parts do not fit the list is refused', () => {
  refused(writePageToken(orders, [instant]))
  refused(writePageToken(orders, [instant, '7', '8']))
  refused(writePageToken(orders, ['0000-01-01T00:00:00Z', '7']))
  refused(writePageToken(orders, [instant, 'a\0']))
  refused(writePageToken(orders, [instant, 'not a uuid']), orders, ['instant', 'uuid'])
  refused(writePageToken(orders, [instant, 7 as never]))
})

test('a page is cut to its limit and names the next one only when there is one', () => {
  const cut = (rows: string[]) =>
    cutPage(
      rows,
      2,
      list('words'),
      (row) => [row],
      (row) => row.toUpperCase(),
    )
  assert.deepEqual(cut(['a', 'b']), { data: ['A', 'B'], next_token: null, total_count: 2 })
  const { next_token, data } = cut(['a', 'b', 'c'])
  assert.deepEqual([data, readPageToken(next_token!, list('words'), ['text'])], [['A', 'B'], ['b']])
  assert.deepEqual(cut([]), { data: [], next_token: null, total_count: 0 })
})
