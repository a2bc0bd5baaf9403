import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '../errors.ts'
import { IntegrationError, type IntegrationFault } from '../integrations/fault.ts'
import { explainFailure } from './install-failure.ts'

const credentials = { base_url: 'https://wms.example.com/api', password: 'Hunter', pin: '7' }

const explain = (fault: IntegrationFault, message: string, status?: number) =>
  explainFailure('Acme', credentials, new IntegrationError(fault, message, status === undefined ? {} : { status }))

const cases: [IntegrationFault, answered: number | undefined, step: string, status: number, words: RegExp][] = [
  ['credentials', 401, 'log_in', 400, /does not accept these credentials/],
  ['permission', 403, 'log_in', 400, /has no permission/],
  ['unavailable', undefined, 'reach', 502, /cannot be reached/],
  ['timeout', undefined, 'reach', 504, /did not answer in time/],
  ['rate_limited', 429, 'reach', 502, /slow down/],
  ['not_found', 404, 'recognize', 400, /is not Acme/],
  ['invalid_response', 200, 'recognize', 400, /is not Acme/],
  ['rejected', 418, 'recognize', 400, /rejected/],
  ['rejected', undefined, 'reach', 400, /may not be reached from here/],
]

for (const [fault, answered, step, status, words] of cases) {
  test(`${fault}${answered ? ` (${answered})` : ' without an answer'} is told as step ${step} with ${status}`, () => {
    const failure = explain(fault, 'Said so', answered)
    assert.equal(failure.step, step)
    assert.match(failure.message, words)
    assert.match(failure.message, / \(Said so\)$/)
    assert.ok(failure.error instanceof ApiError)
    assert.deepEqual(
      [failure.error.status, failure.error.origin, failure.error.step, failure.error.message],
      [status, 'integration', step, failure.message],
    )
  })
}

for (const said of [
  'Wrong password hunter',
  'User 7 is unknown',
  'No host wms.example.com',
  'https%3A%2F%2Fwms.example.com%2Fapi',
]) {
  test(`what repeats something typed is left out: ${said}`, () => {
    assert.equal(explain('credentials', said, 401).message, 'Acme does not accept these credentials')
  })
}

test('a bug of an integration is told without its message, which may repeat what was typed', () => {
  const failure = explainFailure('Acme', credentials, new TypeError('Invalid URL Hunter'))
  assert.equal(failure.step, 'internal')
  for (const text of [failure.message, failure.error.message, failure.error.stack!]) assert.doesNotMatch(text, /Hunter/)
  assert.match(failure.error.stack!, /install-failure\.test\.ts/)
})
