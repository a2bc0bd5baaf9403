/** Prints one figure and, where there is a bound, whether it holds. A broken bound makes the run fail. */
export function tell(
  name: string,
  value: number,
  { atLeast, atMost, note }: { atLeast?: number; atMost?: number; note?: string } = {},
): void {
  const holds = value >= (atLeast ?? value) && value <= (atMost ?? value)
  if (!holds) process.exitCode = 1
  const bound = atLeast !== undefined ? `≥ ${atLeast}` : atMost !== undefined ? `≤ ${atMost}` : ''
  const shown = value >= 100 ? value.toFixed(0) : value.toFixed(2)
  const verdict = bound === '' ? '' : holds ? 'holds' : 'BROKEN'
  console.log(`${name.padEnd(58)}${shown.padStart(10)}  ${bound.padEnd(8)}${verdict.padEnd(8)}${note ?? ''}`.trimEnd())
}
