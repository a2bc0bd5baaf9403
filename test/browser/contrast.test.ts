import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { accentOn, contrast } from '../../link/src/contrast.ts'

const surfaces = ['#ffffff', '#16181d']
const colour = fc.integer({ min: 0, max: 0xffffff }).map((value) => `#${value.toString(16).padStart(6, '0')}`)

test('contrast is that of WCAG 2', () => {
  assert.equal(contrast('#000000', '#ffffff'), 21)
  assert.equal(contrast('#3157d5', '#3157d5'), 1)
  assert.equal(contrast('#767676', '#ffffff').toFixed(2), '4.54')
  assert.equal(contrast('#ffffff', '#ff0000').toFixed(2), '4.00')
})

test('whatever colour a brand has, text on it and beside it can be read', () => {
  fc.assert(
    fc.property(colour, fc.constantFrom(...surfaces), (brand, surface) => {
      const { fill, onFill, text } = accentOn(brand, surface)
      assert.ok(contrast(onFill, fill) >= 4.5)
      assert.ok(contrast(fill, surface) >= 3)
      assert.ok(contrast(text, surface) >= 4.5)
    }),
    { numRuns: 2000 },
  )
})

test('a colour that can be read stays as it is', () => {
  assert.deepEqual(accentOn('#0a5c36', '#ffffff'), { fill: '#0a5c36', onFill: '#ffffff', text: '#0a5c36' })
})
