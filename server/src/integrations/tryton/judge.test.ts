import assert from 'node:assert/strict'
import { test } from 'node:test'
import { judgeAnswer, judgeLogin } from './judge.ts'

const answer = (status: number, body: unknown) => ({ status, headers: new Headers(), body })
const error = (...told: unknown[]) => answer(200, { id: 1, error: told })

test('a result is a success, even an empty one', () => {
  assert.equal(judgeAnswer(answer(200, { id: 1, result: null })), null)
})

test('errors inside an answer of 200 are told apart', () => {
  const faults = {
    permission: error('UserError', ['You are not allowed to access "Customer Shipment".', '', null]),
    rejected: error('UserError', ['A value is required for field "Name".', '', null]),
    conflict: error('ConcurrencyException', 'product.product,1'),
    credentials: error('LoginException', ['password', 'Password for x', 'password']),
    unavailable: error("'nofield'", ''),
  }
  for (const [fault, told] of Object.entries(faults)) assert.equal(judgeAnswer(told)?.fault, fault)
})

test('what broke inside the server stays out of the message', () => {
  assert.doesNotMatch(judgeAnswer(error('unable to open /srv/data/wms.sqlite', ''))!.message, /srv/)
  const unknown = judgeLogin(error("Database '/srv/data/x.sqlite' doesn't exist!", ''))
  assert.deepEqual(
    [unknown?.fault, unknown?.message],
    ['rejected', 'Tryton has no database of this name at this address'],
  )
})

test('a page of something else is no Tryton', () => {
  assert.equal(judgeAnswer(answer(200, '<html>'))?.fault, 'invalid_response')
  assert.equal(judgeAnswer(answer(200, { hello: 'world' }))?.fault, 'invalid_response')
})

test('a login that is refused or slowed is never sent again by itself', () => {
  assert.equal(judgeLogin(answer(401, '<html>'))?.fault, 'credentials')
  assert.notEqual(judgeLogin(answer(429, '<html>'))?.fault, 'rate_limited')
})
